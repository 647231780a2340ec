import { createHash } from 'node:crypto';
import type { ListToolsResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { DEFAULT_OPTIONS } from '../engine/options.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import type { LanguageTool } from '../languages/languageTools.ts';
import { VIEW_META } from './app/view.ts';
import { defineTool, refused, success, type Tool } from './tool.ts';
import { createEnvironment, listEnvironments } from './tools/environments.ts';
import { deleteFile, listFiles, readFile, writeFile } from './tools/files.ts';
import { installPackages } from './tools/packages.ts';
import { poolStatus } from './tools/poolStatus.ts';
import { runCode } from './tools/runCode.ts';
import { cancelRun, runStatus } from './tools/runs.ts';
import { closeSession, interruptSession, listSessions, openSession } from './tools/sessions.ts';
import { tryCode } from './tools/tryCode.ts';
import { sessionVariables } from './tools/variables.ts';

type Languages = readonly LanguageDefinition[];

/** What a server offers for some languages. */
interface Offer {
  readonly instructions: string;
  readonly tools: readonly Tool[];
  listed?: ListToolsResult['tools'];
}

const offers = new WeakMap<Languages, Offer>();

function offerFor(languages: Languages): Offer {
  const known = offers.get(languages);
  if (known) return known;
  const own = languages.flatMap((language) => language.tools?.(DEFAULT_OPTIONS.limits) ?? []);
  const offer = {
    instructions: [
      'Hothouse runs code in warm, sealed sandboxes on this machine.',
      'Use run_code for a single computation. For work in steps call open_session, pass its session_id to run_code, and call close_session at the end.',
      'Files go in with write_file, or with files of run_code; files that code writes to its working directory come back with read_file and as resources.',
      ...own.map(({ instructions }) => instructions),
      'People see the sessions in their editor and can use them too.',
    ].join(' '),
    tools: [
      runCode(languages),
      runStatus,
      cancelRun,
      openSession(languages),
      closeSession,
      listSessions,
      interruptSession,
      poolStatus,
      tryCode(languages),
      sessionVariables(languages),
      createEnvironment(languages),
      listEnvironments,
      installPackages,
      writeFile,
      readFile,
      listFiles,
      deleteFile,
      ...own.flatMap(({ tools }) => tools.map(mcpTool)),
    ],
  };
  offers.set(languages, offer);
  return offer;
}

function mcpTool(tool: LanguageTool): Tool {
  return defineTool({
    ...tool,
    runs: true,
    async call(input, { engine, owner, signal }) {
      const answer = await tool.call(input, { engine, owner, signal });
      return answer.ok ? success(answer.value.fields, answer.value.text) : refused(answer.error);
    },
  });
}

/** Instructions of the MCP server. */
export function instructionsFor(languages: Languages): string {
  return offerFor(languages).instructions;
}

/** Every tool of a server whose engine runs these languages, in the order of `tools/list`. */
export function toolsFor(languages: Languages): readonly Tool[] {
  return offerFor(languages).tools;
}

/** The result of `tools/list`. */
export function listedTools(languages: Languages): ListToolsResult['tools'] {
  const offer = offerFor(languages);
  offer.listed ??= offer.tools.map(({ name, title, description, annotations, input, output, hasView }) => ({
    name,
    title,
    description,
    annotations,
    inputSchema: jsonSchema(input, 'input'),
    outputSchema: jsonSchema(output, 'output'),
    ...(hasView && { _meta: VIEW_META }),
  }));
  return offer.listed;
}

/** A hash of names, descriptions and schemas. As a version suffix it makes clients that cache tools ask again. */
export function toolsHash(languages: Languages): string {
  return createHash('sha256')
    .update(JSON.stringify([instructionsFor(languages), listedTools(languages)]))
    .digest('hex')
    .slice(0, 8);
}

function jsonSchema(schema: z.ZodObject, io: 'input' | 'output') {
  // Clients read a schema without `$schema` as draft 2020-12, and some validators reject any other.
  const { $schema, ...rest } = z.toJSONSchema(schema, { io });
  return rest as ListToolsResult['tools'][number]['inputSchema'];
}
