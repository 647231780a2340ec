import { z } from 'zod';
import { cellEnd, lossEnd, plainError, violentEnd } from '../../src/languages/exit.ts';
import type { CellEnd, CellOutput, CellReport, CellRequest, Interpreter } from '../../src/languages/language.ts';
import { defineLanguage } from '../../src/languages/languageDefinition.ts';
import type { Answer } from '../../src/languages/languageTasks.ts';
import { defineLanguageTool } from '../../src/languages/languageTools.ts';
import type { Owner } from '../../src/sandbox/owner.ts';
import type { Channel, ChannelEnd, Sandbox } from '../../src/sandbox/sandbox.ts';

/** Toy's own question: `engine.toy`. */
export interface ToyEngine {
  /** The number of arguments of a command, which does not run; of a session's last command without code. */
  count(code: string, owner: Owner, sessionId?: string): Promise<Answer<number>>;
}

const EMPTY = { messages: [], messageCount: 0, notes: [], rechecked: [], truncated: false };

/** The report on a command with arguments. */
interface ToyReport extends CellReport {
  readonly language: 'toy';
  readonly names: readonly string[];
}

/** A language whose code is one command: its name and its arguments, between spaces. */
export const toy = defineLanguage({
  id: 'toy',
  displayName: 'Toy',
  fileExtensions: ['.toy'],
  sessionPrefix: 'toy',
  editor: {
    cells: 'toy',
    kernelspec: { name: 'toy', display_name: 'Toy', language: 'toy' },
    triggers: [],
    hasPlaces: false,
  },
  options: z.strictObject({
    image: z.string().default('hothouse/python:latest').describe('Container image that Toy runs in.'),
    memoryMb: z.int().default(200).describe('Memory limit of a Toy sandbox in MB.'),
  }),
  guide: 'Toy: the code is one command.',
  environment: () => ({ TOY_HOME: '/workspace' }),
  create: () => ({ open: (sandbox) => new ToyInterpreter(sandbox) }),
  questions: (tasks): ToyEngine => ({
    async count(code, owner, sessionId) {
      const text = await tasks.textOf(sessionId);
      if (!text.ok) return text;
      const { report, error } = await tasks.run({ code: code || text.value, owner, task: { language: 'toy' } });
      if (!isToy(report)) return { ok: false, error: { kind: 'toy', message: error?.message ?? '', advice: '' } };
      return { ok: true, value: report.names.length };
    },
  }),
  tools: ({ timeoutSeconds }) => ({
    instructions: 'For Toy use toy_count.',
    tools: [
      defineLanguageTool<{ readonly toy: ToyEngine }>()({
        name: 'toy_count',
        title: 'Count arguments',
        description: `Counts the arguments of a command. Takes at most ${timeoutSeconds} s.`,
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        input: z.strictObject({ code: z.string() }),
        output: z.strictObject({ count: z.int() }),
        async call({ code }, { engine, owner }) {
          const answer = await engine.toy.count(code, owner);
          return answer.ok ? { ok: true, value: { fields: { count: answer.value }, text: `${answer.value}` } } : answer;
        },
      }),
    ],
  }),
  reports: {
    arguments: { names: z.boolean().optional().describe('Toy: whether to return the arguments.') },
    fields: { names: z.array(z.string()), count: z.int() },
    describe({ report }, given) {
      const names = isToy(report) ? report.names : [];
      const fields = { count: names.length, names: !given || given.names === true ? names : [] };
      return { fields, verdict: 'counted', hasErrors: false, texts: [`${names.length} arguments`] };
    },
  },
});

function isToy(report: CellReport | null): report is ToyReport {
  return report?.language === 'toy';
}

/** Runs each cell as a program of its own. */
class ToyInterpreter implements Interpreter {
  readonly #sandbox: Sandbox;
  #channel: Channel | undefined;
  #isKilled = false;
  #last = '';

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async run({ code, stdin, task }: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const argv = code.trim().split(' ');
    const names = argv.slice(1);
    const report: ToyReport | null = names.length > 0 || task ? { ...EMPTY, language: 'toy', names } : null;
    if (task) return cellEnd({ status: 'ok', alive: true, report });
    this.#last = code;
    this.#channel = this.#sandbox.start(
      { kind: 'exec', argv, cwd: '/workspace', env: {} },
      {
        onStdout: (bytes) => onOutput({ kind: 'stdout', text: String(bytes) }),
        onStderr: (bytes) => onOutput({ kind: 'stderr', text: String(bytes) }),
      },
    );
    if (stdin) this.#channel.write(Buffer.from(stdin));
    this.#channel.closeInput();
    return { ...endOf(await this.#channel.ended, this.#isKilled), report };
  }

  text(): string {
    return this.#last;
  }

  async complete() {
    return { start: 0, end: 0, matches: [] };
  }

  interrupt(): void {
    void this.#channel?.signal('SIGINT');
  }

  kill(): void {
    this.#isKilled = true;
    void this.#channel?.signal('SIGKILL');
  }
}

function endOf(end: ChannelEnd, isKilled: boolean): CellEnd {
  if (end.kind === 'lost') return cellEnd({ ...lossEnd(end.loss), alive: false });
  const { code, stdoutBytes, stderrBytes, peakMemoryBytes } = end.exit;
  const own =
    code === 0
      ? { status: 'ok' as const, error: null }
      : { status: 'error' as const, error: plainError('ExitStatus', `It ended with exit status ${code}.`) };
  const ended = violentEnd(end.exit, isKilled) ?? own;
  return cellEnd({ stdoutBytes, stderrBytes, peakMemoryBytes, exitCode: code, alive: true, ...ended });
}
