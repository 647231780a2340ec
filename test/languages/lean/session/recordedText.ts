import { SEPARATOR } from '../../../../src/languages/lean/check/cellSource.ts';
import type { Diagnostic } from '../../../../src/languages/lean/lsp/messages.ts';
import { moved, type RecordedCell } from './recordedCells.ts';

/** A part of a document as Lean elaborates it. */
export interface Step {
  readonly diagnostics: readonly Diagnostic[];
  /** What happens after it. */
  readonly then: 'on' | 'endless' | 'crash' | 'fatal';
}

const HIDING = 'set_option warn.sorry false\n';
const QUESTION = /^set_option pp\.fullNames true in #print axioms _root_\.(.+)\n/;
const EVALUATION = /^class Hothouse\.Program.*?pure \("(\w+) returned.*?#eval Hothouse\.run _root_\.main\n/s;

/** The recorded diagnostics of the parts of a text, at the positions where the text has them. */
export function stepsThrough(text: string, cells: readonly RecordedCell[]): Step[] {
  const steps: Step[] = [];
  const known = [...cells].sort((a, b) => b.text.length - a.text.length);
  for (let at = 0, line = 0; at < text.length; ) {
    const { length, step } = pieceAt(text.slice(at), line, known, text);
    steps.push(step);
    if (step.then !== 'on') break;
    line += text.slice(at, at + length).split('\n').length - 1;
    at += length;
  }
  return steps;
}

function pieceAt(rest: string, line: number, known: readonly RecordedCell[], text: string) {
  const step = (diagnostics: readonly Diagnostic[], then: Step['then'] = 'on'): Step => ({ diagnostics, then });
  const cell = known.find((one) => rest.startsWith(one.text) || rest === one.text.trimEnd());
  if (cell) {
    const then = cell.text.includes('#eval spin') ? 'endless' : cell.text.includes('#eval deep') ? 'crash' : 'on';
    const lines = cell.text.split('\n').length - 1;
    // Unfinished code takes the separator for a term of its own, and fails where the next command begins.
    const separator = rest.startsWith(SEPARATOR, cell.text.length) ? 1 : 0;
    const place = (one: Diagnostic) => moved(one, line + (one.range.start.line < lines ? 0 : separator));
    return { length: cell.text.length, step: step(cell.diagnostics.map(place), then) };
  }
  const first = rest.slice(0, rest.indexOf('\n') + 1) || rest;
  const question = QUESTION.exec(first)?.[1];
  const mark = EVALUATION.exec(rest);
  if (mark) return { length: mark[0].length, step: step([diagnosticAt(line + 10, 3, `3\n${mark[1]} returned 0\n`)]) };
  if (question) return { length: first.length, step: step([answerOn(question, line, text)]) };
  if (first.startsWith('import Nope'))
    return { length: first.length, step: step([diagnosticAt(line, 1, "unknown package 'Nope'")], 'fatal') };
  const isSilent =
    first.trim() === '' || first === SEPARATOR || first.startsWith('import ') || isHidden(first, text.indexOf(HIDING));
  return { length: first.length, step: step(isSilent ? [] : [diagnosticAt(line, 1, `not recorded: ${first}`)]) };
}

/** The option hides warnings from these lines; only current servers have it. */
function isHidden(line: string, option: number): boolean {
  return line === HIDING || (option >= 0 && line.startsWith('example '));
}

function answerOn(name: string, line: number, text: string): Diagnostic {
  if (name === 'propext') return diagnosticAt(line, 3, "'propext' depends on axioms: [propext]\n");
  if (!new RegExp(`(def|theorem) ${name}\\b`).test(text)) return diagnosticAt(line, 1, `unknown constant '${name}'`);
  const rests = name === 'hole' ? 'depends on axioms: [sorryAx]' : 'does not depend on any axioms';
  return diagnosticAt(line, 3, `'${name}' ${rests}\n`);
}

function diagnosticAt(line: number, severity: 1 | 3, message: string): Diagnostic {
  const range = { start: { line, character: 0 }, end: { line, character: 6 } };
  return { range, fullRange: range, severity, message, source: 'Lean 4', leanTags: undefined, isSilent: undefined };
}
