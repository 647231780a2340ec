import { tokensOf } from '../text/tokens.ts';

const EVALUATED = 'eval';
const CHECKED = 'check';
const GROWTH = CHECKED.length - EVALUATED.length;

/**
 * Code that is being written as Lean gets it for a question: it is checked and never evaluated, which could take for ever
 * and do what nobody has asked for. Offsets are UTF-16.
 */
export class InertDraft {
  readonly text: string;
  /** Offsets in the code behind each word that is another one here. */
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

  /** The offset in `text` of one in the code. */
  toText(offset: number): number {
    return offset + GROWTH * this.#ends.filter((end) => end <= offset).length;
  }

  /** The offset in the code of one in `text`. */
  toCode(offset: number): number {
    return offset - GROWTH * this.#ends.filter((end, before) => end + GROWTH * (before + 1) <= offset).length;
  }
}

/** Offsets behind the word of each `#eval`. */
function evaluations(code: string): number[] {
  return tokensOf(code)
    .filter(({ start, end }) => code.slice(start, end) === EVALUATED && code[start - 1] === '#')
    .map(({ end }) => end);
}
