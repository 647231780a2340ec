import { type Steps, slices } from '../../base/slices.ts';
import type { CountedCell, SessionCells } from '../../engine/session/cellLogs.ts';
import type { KeptOutput } from '../../engine/session/cellOutputs.ts';
import type { Display, Engine, Result } from '../../engine/types.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';

export const NOTEBOOK_TYPE = 'application/x-ipynb+json';
/** Bytes of a notebook's cells, so that it can be read as a resource. The oldest cells are omitted beyond it. */
const MAX_CELLS_BYTES = 5.5 * 1024 * 1024;
/** A cell that takes more is shown without its output. */
const MAX_CELL_BYTES = 5 * 1024 * 1024;

const NOT_KEPT = '[The output of this cell was too large to be kept.]';

/** The cells that a session has run and their outputs, as a Jupyter notebook (nbformat 4.5). */
export async function sessionNotebook(engine: Engine, sessionId: string): Promise<Result<Buffer>> {
  const found = engine.cells(sessionId);
  if (!found.ok) return found;
  const language = engine.languages.find(({ id }) => id === found.value.language);
  return { ok: true, value: await slices.run(notebookBytes(sessionId, found.value, language)) };
}

function* notebookBytes(
  sessionId: string,
  { cells, dropped }: SessionCells,
  language: LanguageDefinition | undefined,
): Steps<Buffer> {
  const texts: Buffer[] = [];
  let left = MAX_CELLS_BYTES;
  // From the end, because the oldest are the ones to omit.
  for (const cell of cells.toReversed()) {
    const text = yield* cellBytes(cell);
    left -= text.length;
    if (left < 0) break;
    texts.unshift(text);
  }
  const omitted = dropped + cells.length - texts.length;
  if (omitted > 0) texts.unshift(json(omittedCell(omitted)));
  const { kernelspec } = language?.editor ?? {};
  const metadata = {
    ...(kernelspec && {
      kernelspec,
      language_info: { name: kernelspec.language, file_extension: language?.fileExtensions[0] },
    }),
    hothouse: { session_id: sessionId, omitted_cells: omitted },
  };
  const after = `],"metadata":${JSON.stringify(metadata)},"nbformat":4,"nbformat_minor":5}\n`;
  const between = texts.flatMap((text, index) => (index === 0 ? [text] : [Buffer.from(',\n'), text]));
  return Buffer.concat([Buffer.from('{"cells":['), ...between, Buffer.from(after)]);
}

function omittedCell(count: number) {
  const source = `*${count} earlier ${count === 1 ? 'cell' : 'cells'} of this session ${count === 1 ? 'is' : 'are'} not kept.*`;
  return { cell_type: 'markdown', id: 'omitted', metadata: {}, source };
}

function* cellBytes(cell: CountedCell): Steps<Buffer> {
  const whole = json(cellOf(cell));
  yield;
  if (whole.length <= MAX_CELL_BYTES) return whole;
  return json(cellOf({ ...cell, outputs: null, result: null, report: '', error: null }));
}

function cellOf(cell: CountedCell) {
  return {
    cell_type: 'code',
    id: cell.runId,
    execution_count: cell.count,
    metadata: {},
    outputs: outputsOf(cell),
    source: cell.code,
  };
}

/** In the order in which Jupyter shows them: what was printed and displayed, the value, the error. */
function outputsOf({ outputs, result, error, report, count }: CountedCell): object[] {
  return [
    ...(outputs ?? [{ kind: 'stderr', text: NOT_KEPT } as const]).map(outputOf),
    ...(report ? [{ output_type: 'stream', name: 'stdout', text: report }] : []),
    ...(result
      ? [{ output_type: 'execute_result', execution_count: count, data: mimeBundle(result), metadata: {} }]
      : []),
    ...(error
      ? [{ output_type: 'error', ename: error.name, evalue: error.message, traceback: error.traceback.split('\n') }]
      : []),
  ];
}

function outputOf(output: KeptOutput): object {
  if (output.kind !== 'display') return { output_type: 'stream', name: output.kind, text: output.text };
  return { output_type: 'display_data', data: mimeBundle(output.display.data), metadata: {} };
}

/** The format allows values that are no text for JSON alone. */
function mimeBundle(data: Display['data']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([type, value]) => [
      type,
      typeof value === 'string' || /^application\/(.*\+)?json$/.test(type) ? value : JSON.stringify(value),
    ]),
  );
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
