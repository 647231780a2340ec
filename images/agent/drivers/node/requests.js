// The lines of requests that the engine sends.
const fs = require('node:fs');
const { FDS } = load('channels.js');

const CHUNK_BYTES = 1 << 16;
const NEWLINE = 10;

/**
 * Waits for the first request and passes it on. There is nothing else to do before it, and a one-shot run needs no more than
 * that: a stream would take longer to load than to read.
 */
function readFirst(receive) {
  const parts = [];
  for (;;) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const count = fs.readSync(FDS.requests, chunk);
    if (count === 0) process.reallyExit(0);
    parts.push(chunk.subarray(0, count));
    // The engine sends the next request after the end of this one.
    if (chunk[count - 1] === NEWLINE) break;
  }
  receive(Buffer.concat(parts).toString());
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
