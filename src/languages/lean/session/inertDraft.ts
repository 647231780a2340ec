import { tokensOf } from '../text/tokens.ts';

const EVALUATED = 'eval';
const CHECKED = 'check';
const GROWTH = CHECKED.length - EVALUATED.length;

/**
 * A draft as Lean gets it for a question: `#eval` becomes `#check`, because an evaluation may never end or have effects.
 * Offsets are UTF-16.
 */
export class InertDraft {
  readonly text: string;
  /** The end offset in the code of each replaced word. */
  readonly #ends: readonly number[];

  constructor(code: string) {
    this.#ends = code.includes(`#${EVALUATED}`) ? evaluations(code) : [];
    let [text, from] = ['', 0];
    for (const end of this.#ends) {
      text += code.slice(from, end - EVALUATED.length) + CHECKED;
      from = end;
    }
    this.text = text + code.slice(from);
  }

  /** Converts an offset in the code to one in `text`. */
  toText(offset: number): number {
    return offset + GROWTH * this.#ends.filter((end) => end <= offset).length;
  }

  /** Converts an offset in `text` to one in the code. */
  toCode(offset: number): number {
    return offset - GROWTH * this.#ends.filter((end, before) => end + GROWTH * (before + 1) <= offset).length;
  }
}

/** The end offset of each `#eval`. */
function evaluations(code: string): number[] {
  return tokensOf(code)
    .filter(({ start, end }) => code.slice(start, end) === EVALUATED && code[start - 1] === '#')
    .map(({ end }) => end);
}
