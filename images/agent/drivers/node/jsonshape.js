// Limits on the size and shape of an event; the same as in jsonshape.py.
const MAX_DEPTH = 100;
const MAX_VALUES = 100_000;
const MAX_BYTES = 6 << 20;
/** Reserved for everything but the content of an event: bytes, and levels. */
const ENVELOPE = 1 << 12;
const ENVELOPE_DEPTH = 4;

/** The number of values in the JSON text, where a member of an object counts as three, and its depth. */
function shapeOf(text) {
  let [values, depth, deepest] = [1, 0, 0];
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22:
        index = endOfString(text, index);
        break;
      case 0x2c:
        values += 1;
        break;
      case 0x3a:
        values += 2;
        break;
      case 0x5b:
      case 0x7b:
        values += 1;
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
    }
  }
  return { values, depth: deepest };
}

function endOfString(text, start) {
  let end = text.indexOf('"', start + 1);
  for (; end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

/** Whether the JSON text can be the content of an event. */
function fits(text, maxValues = MAX_VALUES, maxBytes = MAX_BYTES - ENVELOPE) {
  if (Buffer.byteLength(text) > maxBytes) return false;
  const { values, depth } = shapeOf(text);
  return values <= maxValues && depth <= MAX_DEPTH - ENVELOPE_DEPTH;
}

/** The JSON text without lone surrogates, which JSON.stringify has escaped: UTF-8 cannot carry them. */
function wellFormed(text) {
  return text.includes('\\ud')
    ? text.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => (found === '\\\\' ? found : '\ufffd'))
    : text;
}

module.exports = { MAX_BYTES, MAX_VALUES, fits, shapeOf, wellFormed };
