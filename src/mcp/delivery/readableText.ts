// Colors and cursor movements, which a reader of a result does not see.
const CONTROL_SEQUENCE = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const DELETE = 0x7f;
const LAST_C1 = 0x9f;
/** Unicode's control pictures of the characters below the space, such as ␀ and ␛. */
const PICTURES = 0x2400;
const DELETE_PICTURE = 0x2421;
const NO_PICTURE = 0xfffd;

/**
 * `text` for text content, which clients print on terminals: no control characters except tab and newline. Control
 * sequences (CSI) are removed, a carriage return becomes a newline, and every other control character becomes its control
 * picture, such as ␛; C1 characters, which have none, become �.
 */
export function readableText(text: string): string {
  if (!CONTROL.test(text)) return text;
  return withPictures(text.replace(CONTROL_SEQUENCE, ''));
}

// A regular expression with a callback takes ten times as long, and a run may print nothing but such characters.
function withPictures(text: string): string {
  const units = new Uint16Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === RETURN && text.charCodeAt(at + 1) === NEWLINE) continue;
    units[length] = isControl(unit) ? pictureOf(unit) : unit;
    length += 1;
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}

function isControl(unit: number): boolean {
  return unit < 0x20 ? unit !== 0x09 && unit !== NEWLINE : unit >= DELETE && unit <= LAST_C1;
}

function pictureOf(control: number): number {
  if (control === RETURN) return NEWLINE;
  if (control < 0x20) return PICTURES + control;
  return control === DELETE ? DELETE_PICTURE : NO_PICTURE;
}
