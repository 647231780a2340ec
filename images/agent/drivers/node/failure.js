// Errors as the engine shows them.
const { inspect, types } = require('node:util');

const MAX_TEXT = 10_000;
const MAX_TRACEBACK = 100_000;
/** Frames of the driver, and those of Node.js that have called it. */
const OWN_FRAME = /^ +at .*(hothouse:|\(?node:|\[eval\])/;

/** The payload of an error event. */
function describe(error) {
  try {
    if (!types.isNativeError(error) && !(error instanceof Error)) {
      return { name: 'Uncaught', message: cut(inspect(error)), traceback: `Uncaught ${cut(inspect(error))}` };
    }
    return { name: nameOf(error), message: cut(String(error.message)), traceback: tracebackOf(error) };
  } catch {
    return { name: 'Error', message: 'the error could not be shown', traceback: '' };
  }
}

function nameOf(error) {
  return String(error.name || error.constructor?.name || 'Error').slice(0, 200);
}

function cut(text) {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** With causes and properties, and without what is not the user's. */
function tracebackOf(error) {
  const text = inspect(error);
  // Without frames it has brackets.
  const lines = (text === `[${error.stack}]` ? error.stack : text).split('\n');
  return lines
    .filter((line) => !OWN_FRAME.test(line))
    .join('\n')
    .slice(0, MAX_TRACEBACK);
}

/** A syntax error that names its line, as Node.js shows it. */
function syntaxError(error, code, name) {
  if (!error.loc) return error;
  const { line, column } = error.loc;
  const message = error.message.replace(/ \(\d+:\d+\)$/, '');
  const marker = `${' '.repeat(column)}^`;
  const text = code.split('\n')[line - 1] ?? '';
  const made = new SyntaxError(message);
  made.stack = `${name}:${line}\n${text}\n${marker}\n\nSyntaxError: ${message}`;
  return made;
}

module.exports = { describe, syntaxError };
