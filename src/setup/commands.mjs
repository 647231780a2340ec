import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { logs, root } from './paths.mjs';
import { SetupProblem } from './steps.mjs';

/** Runs a command: its exit status, and its output as one text. */
export async function output(command, args, options = {}) {
  const child = start(command, args, options);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  return { status: await ended(child), text };
}

/** A command's standard output as text, or null when it failed or does not exist. */
export async function ask(command, args, options = {}) {
  const { status, text } = await output(command, args, { stdio: ['ignore', 'pipe', 'ignore'], ...options });
  return status === 0 ? text : null;
}

/** Runs a command with its output in `out/logs/<name>.log`; resolves with the exit status. */
export async function logged(name, command, args, options = {}) {
  mkdirSync(logs, { recursive: true });
  const log = createWriteStream(logFile(name), { flags: 'a' });
  log.write(`$ ${[command, ...args].join(' ')}\n`);
  const child = start(command, args, options);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  const status = await ended(child);
  log.end();
  await finished(log);
  return status;
}

/** Like `logged`, but rejects with a `SetupProblem` with the end of the log when the command fails. */
export async function must(name, command, args, options = {}) {
  const status = await logged(name, command, args, options);
  if (status !== 0)
    throw new SetupProblem(`${command} exited with status ${status}; see ${logFile(name)}:\n${tail(name)}`);
}

export function logFile(name) {
  return join(logs, `${name}.log`);
}

/** The last lines of a log, indented. */
export function tail(name, lines = 15) {
  const text = readFileSync(logFile(name), 'utf8').trimEnd();
  return text
    .split('\n')
    .slice(-lines)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** Starts a child that is killed after `timeout` ms. Node's own timeout would keep running for a program that does not exist. */
function start(command, args, { timeout, ...options }) {
  const signal = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  return spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], signal, ...options });
}

/** Exit status of a child; 127 if it could not start, 128 after a signal. */
export function ended(child) {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 128));
  });
}
