import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { formatList } from '../../base/list.ts';
import { type Steps, slices } from '../../base/slices.ts';
import { DEFAULT_OPTIONS } from '../../engine/options.ts';
import { FIRST_OK, MAX_CANDIDATES, type TryResult } from '../../engine/trial/types.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { runOutputsOf } from '../files/runFiles.ts';
import type { Picture } from '../output/displays.ts';
import { LongTexts } from '../output/longTexts.ts';
import { contentOf, describedRun, RunAnswer } from '../output/runAnswer.ts';
import { defineTool, refused, type Tool, type ToolCall } from '../tool.ts';

const { limits } = DEFAULT_OPTIONS;

/** `try_code`, for sessions of the languages that have copies. */
export function tryCode(languages: readonly LanguageDefinition[]): Tool {
  const names = languages.filter(({ hasCopies }) => hasCopies).map(({ displayName }) => displayName);
  return defineTool({
    name: 'try_code',
    title: 'Code Trial',
    description: [
      `Runs pieces of code side by side, each on its own copy of a session. Sessions of ${formatList(names, 'and')} have copies. Returns every result. A copy has all variables, imports and functions and takes milliseconds; the session does not change.`,
      `keep makes one copy the session: the candidate with that id if its status is ok, or with ${FIRST_OK} the first in the list whose status is ok.`,
      'Copies share files, memory and CPU time with the session. Threads, connections and started programs are not copied. Random numbers continue in the same way in each copy.',
    ].join('\n'),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    runs: true,
    input: z.strictObject({
      session_id: z.string().describe('From open_session or list_sessions.'),
      candidates: z
        .array(
          z.strictObject({
            id: z.string().max(200).optional().describe('Names the candidate. Default: its position, from 1.'),
            code: z.string().describe('Source code, at most 1 MB.'),
          }),
        )
        .min(1)
        .max(MAX_CANDIDATES),
      keep: z.string().optional().describe(`An id, or ${FIRST_OK}. Default: no copy is kept.`),
      timeout_seconds: z
        .number()
        .min(0.1)
        .max(86_400)
        .optional()
        .describe(`Time limit in seconds for each. Default: ${limits.timeoutSeconds}, unless configured otherwise.`),
    }),
    output: z.strictObject({
      results: z.array(RunAnswer.extend({ id: z.string() }).strict()).describe('In the order of the candidates.'),
      kept: z.string().optional().describe('Candidate whose copy is the session now, if one was kept.'),
      notes: z.array(z.string()).optional().describe('Further remarks, if any.'),
    }),
    async call({ session_id, candidates, keep, timeout_seconds }, call) {
      const { engine, signal } = call;
      const given = candidates.map(({ id, code }) => ({ code, ...(id !== undefined && { id }) }));
      const options = {
        ...(keep !== undefined && { keep }),
        ...(timeout_seconds !== undefined && { timeoutSeconds: timeout_seconds }),
      };
      const tried = await engine.tryCode(session_id, given, options, signal);
      return tried.ok ? slices.run(answerOf(tried.value, call)) : refused(tried.error);
    },
  });
}

function* answerOf(
  { candidates, kept, losses }: TryResult,
  { engine, owner }: Pick<ToolCall, 'engine' | 'owner'>,
): Steps<CallToolResult> {
  const pictures: Picture[] = [];
  const results: Record<string, unknown>[] = [];
  const texts: string[] = [];
  for (const { id, result } of candidates) {
    const long = new LongTexts(result.runId);
    const { fields, text } = yield* describedRun(result, { pictures, texts: long });
    runOutputsOf(engine).keep(result.runId, owner.id, long.files);
    results.push({ id, ...fields });
    texts.push(`[candidate ${JSON.stringify(id)}${id === kept ? ', kept' : ''}]\n${text}`);
  }
  const notes = notesOn(losses);
  return {
    content: contentOf([...texts, ...notes].join('\n'), pictures),
    structuredContent: { results, ...(kept !== null && { kept }), ...(notes.length > 0 && { notes }) },
    isError: false,
  };
}

function notesOn({ threads, sockets }: TryResult['losses']): string[] {
  const lost = [
    threads === 0 ? '' : `${threads} further ${threads === 1 ? 'thread' : 'threads'}`,
    sockets === 0 ? '' : `${sockets} ${sockets === 1 ? 'socket' : 'sockets'}`,
  ].filter(Boolean);
  return lost.length === 0 ? [] : [`The session has ${lost.join(' and ')}, which the copies did not have.`];
}
