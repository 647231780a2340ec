/** Characters that do not fit on a line: controls, line ends, direction marks. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Characters of a name in a line of ours. */
const MAX_NAME = 200;

/** A name that user code chose, without characters that could imitate lines of ours. */
export function printable(name: string): string {
  const text = name.replace(UNPRINTABLE, (it) => `\\u{${it.codePointAt(0)?.toString(16)}}`);
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME).toWellFormed()}…` : text;
}
