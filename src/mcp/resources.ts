import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
} from '@modelcontextprotocol/server';
import type { Engine, Owner } from '../engine/types.ts';
import { readView, VIEW_URI } from './app/view.ts';
import {
  type FileAddress,
  fileUri,
  NOTEBOOK_TEMPLATE,
  notebookUri,
  parseFileUri,
  RUN_FILE_TEMPLATE,
  RUN_OUTPUT_TEMPLATE,
  SESSION_FILE_TEMPLATE,
} from './files/fileUri.ts';
import { NOTEBOOK_TYPE } from './files/notebook.ts';
import { readPart, textOf } from './files/readFile.ts';
import { KEEP_MS, type RunFiles, runFilesOf, runOutputsOf } from './files/runFiles.ts';
import { printable } from './printable.ts';

/** Resources of one list: a client shows them to a person. */
const MAX_RESOURCES = 1_000;
const MAX_OF_SESSION = 200;
/** As base64 it fits into a message. Larger files are read in parts by `read_file`. */
export const MAX_RESOURCE_BYTES = 6 * 1024 * 1024;

/** The resources of `resources/templates/list`. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: SESSION_FILE_TEMPLATE,
    name: 'session-file',
    title: 'Session File',
    description: 'A file in the working directory of an open session.',
  },
  {
    uriTemplate: NOTEBOOK_TEMPLATE,
    name: 'session-notebook',
    title: 'Session Notebook',
    description: 'The cells that a session has run and their outputs, as a Jupyter notebook.',
    mimeType: NOTEBOOK_TYPE,
  },
  {
    uriTemplate: RUN_FILE_TEMPLATE,
    name: 'run-file',
    title: 'Run File',
    description: `A file that a run without session has made, kept for ${KEEP_MS / 60_000} minutes.`,
  },
  {
    uriTemplate: RUN_OUTPUT_TEMPLATE,
    name: 'run-output',
    title: 'Run Output',
    description: `A long text or HTML that a run has printed or displayed, kept for ${KEEP_MS / 60_000} minutes.`,
  },
];

/** What reads resources: a client, as the owner of sessions and runs. */
export interface ResourceReader {
  readonly engine: Engine;
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

/**
 * The kept files and output of the owner's runs, the notebooks of the sessions that it has opened, and the files of those;
 * at most `MAX_RESOURCES`.
 */
export async function listResources(reader: ResourceReader): Promise<ListResourcesResult> {
  const { engine, owner } = reader;
  const own = engine.snapshot().sessions.filter((session) => session.owner.id === owner.id);
  const resources = [
    ...runResources(runFilesOf(engine), 'run', 'Made by', owner),
    ...runResources(runOutputsOf(engine), 'output', 'Output of', owner),
    ...own.flatMap(({ id }) => notebookResource(engine, id)),
  ];
  for (const { id } of own.filter(({ state }) => state !== 'ended')) {
    if (resources.length >= MAX_RESOURCES) break;
    resources.push(...(await sessionResources(reader, id)));
  }
  return { resources: resources.slice(0, MAX_RESOURCES) };
}

function runResources(store: RunFiles, kind: FileAddress['kind'], origin: string, owner: Owner): Resource[] {
  return store.runsOf(owner).flatMap((runId) =>
    (store.filesOf(owner, runId) ?? []).map(({ path, mediaType: mimeType, content }) => ({
      uri: fileUri({ kind, id: runId, path }),
      name: printable(path),
      description: `${origin} ${runId}`,
      mimeType,
      size: content.length,
    })),
  );
}

function notebookResource(engine: Engine, id: string): Resource[] {
  const found = engine.cells(id);
  if (!found.ok || found.value.cells.length === 0) return [];
  const description = `The cells that session ${id} has run`;
  return [{ uri: notebookUri(id), name: `${id}.ipynb`, description, mimeType: NOTEBOOK_TYPE }];
}

async function sessionResources({ engine, signal }: ResourceReader, id: string): Promise<Resource[]> {
  const listed = await engine.files(id).list('', { recursive: true, limit: MAX_OF_SESSION }, signal);
  if (!listed.ok) return [];
  return listed.value.entries
    .filter(({ type }) => type === 'file')
    .map(({ path, size }) => ({
      uri: fileUri({ kind: 'session', id, path }),
      name: printable(path),
      description: `In session ${id}`,
      size,
    }));
}

/** The content of a resource as text, or as base64. Throws a `ProtocolError` when there is none. */
export async function readResource(uri: string, reader: ResourceReader): Promise<ReadResourceResult> {
  if (uri === VIEW_URI) return readView();
  const address = parseFileUri(uri);
  if (!address) throw notFound(uri, `There is no resource ${printable(uri)}.`);
  const read = await readPart(reader, address, { offset: 0, length: MAX_RESOURCE_BYTES });
  if (!read.ok) throw notFound(uri, [read.error.message, read.error.advice].join(' '));
  const { size, mediaType: mimeType, bytes } = read.value;
  if (size > bytes.length) {
    throw notFound(
      uri,
      `${printable(address.path)} has ${size} bytes; a resource has at most ${MAX_RESOURCE_BYTES}. Use read_file.`,
    );
  }
  const text = textOf(bytes);
  const isWhole = text?.bytes === bytes.length;
  const content = isWhole ? { text: text.text } : { blob: bytes.toString('base64') };
  return { contents: [{ uri, mimeType, ...content }] };
}

function notFound(uri: string, message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });
}
