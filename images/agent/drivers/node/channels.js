// The driver's descriptors, and the questions that it asks its helper (driver.py).
const fs = require('node:fs');

/** Requests come on 3; events and answers go out on 4 and 5; 7 has a byte for each interrupt. */
const FDS = { stdout: 1, stderr: 2, requests: 3, events: 4, answers: 5, interrupts: 7 };
const ASK = 8;
const REPLY = 9;
const NAMES = { [FDS.stdout]: 'o', [FDS.stderr]: 'e', [FDS.events]: 'v', [FDS.answers]: 'a' };
const RETRY_MS = 1;

const pause = new Int32Array(new SharedArrayBuffer(4));
const reply = Buffer.alloc(64);

/** The helper's answer, in a line. */
function ask(question) {
  writeAll(ASK, `${question}\n`);
  let text = '';
  while (!text.endsWith('\n')) {
    const count = fs.readSync(REPLY, reply);
    if (count === 0) throw new Error('the helper of the driver has ended');
    text += reply.toString('latin1', 0, count);
  }
  return text.trim();
}

/** Writes all of it, also where another program has made the pipe non-blocking. */
function writeAll(fd, data) {
  let rest = typeof data === 'string' ? Buffer.from(data) : data;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(fd, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, RETRY_MS);
    }
  }
}

let last = null;

/** Waits until what was written to another pipe is passed on: then everything arrives in the order of writing. */
function beforeWrite(fd) {
  if (last === fd) return;
  if (last !== null) ask(`w${NAMES[last]}`);
  last = fd;
}

/** Writes the line of an event, or of an answer; the agent passes on output first, and events before answers. */
function emit(line, isAnswer) {
  if (!isAnswer && last === FDS.answers) ask(`w${NAMES[last]}`);
  last = isAnswer ? FDS.answers : FDS.events;
  // The first newline ends what user code may have written there.
  writeAll(last, `\n${line}\n`);
}

module.exports = { FDS, ask, beforeWrite, emit, writeAll };
