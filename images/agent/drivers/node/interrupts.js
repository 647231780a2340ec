// Interrupts: a thread hears them, tells this one, and ends what this one executes when it does not answer.
const { FDS } = load('channels.js');

/**
 * Indices of the numbers that both threads share: the first interrupt that is for the running cell, 0 while none runs; the
 * last one that was heard; and whether the thread has started.
 */
const FIRST = 0;
const HEARD = 1;
const STARTED = 2;
/** A thread starts within some ten milliseconds. */
const LONGEST_START_MS = 2_000;

/** Calls `onInterrupt` with the number of each interrupt, counted from 1. */
function watch(onInterrupt) {
  // A one-shot run does without: loading them takes 2 ms.
  const { Worker, MessageChannel } = require('node:worker_threads');
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(program.files['watcher.js'], {
    eval: true,
    execArgv: [],
    workerData: { shared, port: port2, fd: FDS.interrupts, FIRST, HEARD, STARTED },
    transferList: [port2],
  });
  port1.on('message', (number) => {
    Atomics.store(shared, HEARD, number);
    onInterrupt(number);
  });
  worker.unref();
  port1.unref();
  return {
    /** What executes from now on may be ended by this interrupt and later ones; 0 for none. */
    allow: (first) => Atomics.store(shared, FIRST, first),
    /** Returns at once where the thread has started, as before every cell but an early second one. */
    waitUntilStarted: () => void Atomics.wait(shared, STARTED, 0, LONGEST_START_MS),
  };
}

module.exports = { watch };
