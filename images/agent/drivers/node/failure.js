// Errors as the engine shows them.
const { readFileSync } = require('node:fs');
const { resolve } = require('node:path');
const { inspect, types } = require('node:util');

const MAX_TEXT = 10_000;
const MAX_TRACEBACK = 100_000;
const MAX_CHAIN = 10;
/** The name of a package, without a path in it. */
const MISSING = /^Cannot find (?:module|package) '((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:\/[^']*)?'/;
const REFUSED = new Set(['EACCES', 'EPERM', 'EROFS']);
const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN']);
/** Frames of the driver, and those of Node.js that have called it. */
const OWN_FRAME = /^ +at .*(hothouse:|\(?node:|\[eval\])/;

/** The payload of an error event. */
function describe(error) {
  try {
    if (!types.isNativeError(error) && !(error instanceof Error)) {
      return { name: 'Uncaught', message: cut(inspect(error)), traceback: `Uncaught ${cut(inspect(error))}` };
    }
    const advice = adviceOn(error);
    const message = cut(String(error.message)) + (advice ? `\n${advice}` : '');
    return { name: nameOf(error), message, traceback: tracebackOf(error) };
  } catch {
    return { name: 'Error', message: 'the error could not be shown', traceback: '' };
  }
}

/** What to do about an error that has to do with the sandbox, as one line; empty for all others. */
function adviceOn(error) {
  if (error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_MODULE_NOT_FOUND') {
    const name = MISSING.exec(error.message)?.[1];
    return name ? `To install it, run \`!npm install ${name}\` in a session; agents can call install_packages.` : '';
  }
  // A view belongs to root: nothing in it can be written, made, moved or removed.
  if (REFUSED.has(error.code) && [error.path, error.dest].some((path) => path && resolve(path).startsWith('/view/')))
    return 'The folder of the notebook is a read-only view here. Write to /workspace, and save from there by Save to Workspace.';
  for (let [cause, depth] = [error, 0]; cause && depth < MAX_CHAIN; cause = cause.cause, depth += 1) {
    if (UNRESOLVED.has(cause.code) && !hasNetwork()) {
      return 'Sandboxes have no network. Put the data into the session as files, or let the user allow its host (network.policy: allow, network.allow); for packages use `!npm install`.';
    }
  }
  return '';
}

/** Whether there is an interface but the sandbox's own loopback. */
function hasNetwork() {
  const lines = readFileSync('/proc/net/dev', 'latin1').split('\n');
  return lines.some((line) => line.includes(':') && !line.trim().startsWith('lo:'));
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
