/** A file that agents can name: of a session, its notebook, one that a one-shot run has made, or a text that a run has output. */
export interface FileAddress {
  readonly kind: 'session' | 'notebook' | 'run' | 'output';
  readonly id: string;
  /** In the workspace, without `/workspace/`. */
  readonly path: string;
}

const PATTERN = /^hothouse:\/\/(sessions\/|runs\/)([\w.-]+)(\/files\/|\/output\/|\/)(.+)$/s;
/** What is before and after the id. */
const PARTS: Readonly<Record<FileAddress['kind'], readonly [string, string]>> = {
  session: ['sessions/', '/files/'],
  notebook: ['sessions/', '/'],
  run: ['runs/', '/files/'],
  output: ['runs/', '/output/'],
};
const KINDS = ['session', 'notebook', 'run', 'output'] as const;
/** The path of each session's notebook. */
const NOTEBOOK = 'notebook.ipynb';
/** In paths a byte that is not UTF-8 is one of these characters without a partner. */
const LONE_BYTE = /(?<![\ud800-\udbff])[\udc80-\udcff]/;

/** The templates of `resources/templates/list`. */
export const SESSION_FILE_TEMPLATE = 'hothouse://sessions/{session_id}/files/{+path}';
export const NOTEBOOK_TEMPLATE = `hothouse://sessions/{session_id}/${NOTEBOOK}`;
export const RUN_FILE_TEMPLATE = 'hothouse://runs/{run_id}/files/{+path}';
export const RUN_OUTPUT_TEMPLATE = 'hothouse://runs/{run_id}/output/{name}';

/** `hothouse://sessions/py-3f9a2c81/files/data/sales%202.csv` */
export function fileUri({ kind, id, path }: FileAddress): string {
  const [before, after] = PARTS[kind];
  return `hothouse://${before}${id}${after}${path.split('/').map(escaped).join('/')}`;
}

/** The address in a URI; null when it is no address of a file. */
export function parseFileUri(uri: string): FileAddress | null {
  const [, before, id, after, path] = PATTERN.exec(uri) ?? [];
  const kind = KINDS.find((one) => PARTS[one][0] === before && PARTS[one][1] === after);
  if (kind === undefined || id === undefined || path === undefined) return null;
  if (kind === 'notebook' && path !== NOTEBOOK) return null;
  return { kind, id, path: unescaped(path) };
}

/** `hothouse://sessions/py-3f9a2c81/notebook.ipynb` */
export function notebookUri(sessionId: string): string {
  return fileUri({ kind: 'notebook', id: sessionId, path: NOTEBOOK });
}

function escaped(name: string): string {
  const parts = name.split(new RegExp(`(${LONE_BYTE.source})`, 'g'));
  return parts.map((part) => (LONE_BYTE.test(part) ? byteEscape(part) : plainEscape(part))).join('');
}

function plainEscape(text: string): string {
  // `.` and `..` are no steps of a path here, but some clients resolve them.
  return encodeURIComponent(text.toWellFormed());
}

function byteEscape(character: string): string {
  return `%${(character.charCodeAt(0) - 0xdc00).toString(16).toUpperCase()}`;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Bytes that are not UTF-8 keep their value; the file system sees the same bytes.
    const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => characterOf(Number.parseInt(hex, 16)));
    return decoded;
  }
}

function characterOf(byte: number): string {
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);
}
