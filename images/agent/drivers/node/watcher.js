// The thread that hears interrupts.
const { Socket } = require('node:net');
const { workerData } = require('node:worker_threads');
const { shared, port, fd, FIRST, HEARD, STARTED } = workerData;

/** How long the main thread has to hear of an interrupt before its execution is ended. */
const PATIENCE_MS = 30;

let count = 0;
let session;

function terminate() {
  if (!session) {
    const { Session } = require('node:inspector');
    session = new Session();
    session.connectToMainThread();
  }
  session.post('Runtime.terminateExecution');
}

function insist(number) {
  // It may have been what carried the last message that was ended.
  port.postMessage(number);
  setTimeout(() => {
    if (Atomics.load(shared, HEARD) >= number) return;
    const first = Atomics.load(shared, FIRST);
    if (first > 0 && number >= first) terminate();
    insist(number);
  }, PATIENCE_MS);
}

new Socket({ fd, writable: false }).on('data', (bytes) => {
  count += bytes.length;
  insist(count);
});
Atomics.store(shared, STARTED, 1);
Atomics.notify(shared, STARTED);
