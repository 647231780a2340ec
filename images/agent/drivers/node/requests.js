// The lines of requests that the engine sends.
const fs = require('node:fs');
const { FDS } = load('channels.js');

const CHUNK_BYTES = 1 << 16;
const NEWLINE = 10;

/** A request that follows another run at once has arrived by then. */
const EARLY_MS = 30;
const LOOK_MS = 2;
const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Waits for the first request and returns it; calls `warmUp` when there is time. A one-shot run needs no more than this: a
 * stream would take longer to load than to read.
 */
function readFirst(warmUp) {
  const parts = [];
  let chunk = readEarly();
  if (chunk === null) {
    warmUp();
    chunk = readChunk(FDS.requests);
  }
  // The engine sends the next request after the end of this one.
  for (; chunk.at(-1) !== NEWLINE; chunk = readChunk(FDS.requests)) parts.push(chunk);
  return Buffer.concat([...parts, chunk]).toString();
}

/** What arrives within the first moments; null where nothing does. */
function readEarly() {
  let fd;
  try {
    // A descriptor that does not wait, beside the one that does.
    fd = fs.openSync(`/proc/self/fd/${FDS.requests}`, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch {
    return null;
  }
  const late = performance.now() + EARLY_MS;
  try {
    for (;;) {
      try {
        return readChunk(fd);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
        if (performance.now() > late) return null;
      }
      Atomics.wait(pause, 0, 0, LOOK_MS);
    }
  } finally {
    fs.closeSync(fd);
  }
}

function readChunk(fd) {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const count = fs.readSync(fd, chunk);
  if (count === 0) process.reallyExit(0);
  return chunk.subarray(0, count);
}

/** Passes on those of a session, between other events; calls `onEnd` when there are no more. */
function readMore(receive, onEnd) {
  const { Socket } = require('node:net');
  const requests = new Socket({ fd: FDS.requests, writable: false });
  let parts = [];
  requests.setEncoding('utf8');
  requests.on('data', (text) => {
    const pieces = text.split('\n');
    const rest = pieces.pop();
    for (const piece of pieces) {
      const line = parts.join('') + piece;
      parts = [];
      receive(line);
    }
    if (rest) parts.push(rest);
  });
  requests.on('end', onEnd);
}

module.exports = { readFirst, readMore };
