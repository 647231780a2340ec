// The driver of Node.js: runs the engine's requests, and sends events and answers. User code runs in the same process.
const { constants, Script } = require('node:vm');
const { ask, emit: write } = load('channels.js');
const { Publisher, bundle, functionsOf } = load('display.js');
const { describe, syntaxError } = load('failure.js');
const globals = load('globals.js');
const interrupts = load('interrupts.js');
const { wellFormed } = load('jsonshape.js');
const packages = load('packages.js');
const { readFirst, readMore } = load('requests.js');
const stdio = load('stdio.js');
const { plainScript, transform, warmUp } = load('transform.js');

/** What the engine waits for. */
const ANSWERS = new Set(['state', 'done', 'completions']);
const INTERRUPTED = { name: 'Interrupted', message: 'The cell was interrupted.', traceback: '' };
const UNSETTLED = { name: 'UnsettledAwait', message: 'The code awaits what cannot happen any more.', traceback: '' };
/** Exit status of Node.js for that. */
const UNSETTLED_STATUS = 13;
/** Thrown by process.exit() in a session, so that nothing after it is executed. */
const EXIT = new Error('process.exit() has ended the cell');

const nextTurn = setImmediate;
const { exit: exitProcess, reallyExit } = process;
const publisher = new Publisher(emit, program);
let token = '';
/** Starts with the first cell of a session: a one-shot run is killed, never interrupted, and a thread costs more than one. */
let watch = null;
/** The cell that runs: `once`, `state`, `firstInterrupt`, and in a one-shot run its `end`. */
let cell = null;
/** Reports the end of a cell: once more where an interrupt that came too late has ended this. */
let unreported = null;
/** User code has called process.exit() in a one-shot run. */
let isLeaving = false;

function emit(type, fields) {
  write(wellFormed(JSON.stringify({ type, token, ...fields })), ANSWERS.has(type));
}

function receive(request) {
  token = request.token;
  if (request.op === 'complete') emit('completions', completions(request));
  else begin(request);
}

function completions({ code, cursor }) {
  try {
    return load('completion.js').complete(code, cursor);
  } catch {
    return { start: cursor, end: cursor, matches: [] };
  }
}

function begin(request) {
  const mine = { ...request, firstInterrupt: 0, end: null, isSettled: false };
  cell = mine;
  // A thread that starts opens descriptors, and must not get the one of stdin while that is replaced.
  watch?.waitUntilStarted();
  stdio.giveStdin(request.stdin);
  if (!request.once) hear(mine);
  process.exitCode = undefined;
  publisher.restart();
  packages.refresh();
  if (request.state !== null) globals.setAll(request.state);
  try {
    execute(mine);
  } catch (error) {
    fail(mine, error);
  }
}

/** From now on interrupts are for this cell. */
function hear(mine) {
  mine.firstInterrupt = 1 + Number(ask('i'));
  watch ??= interrupts.watch(onInterrupt);
  watch.allow(mine.firstInterrupt);
  emit('begun', {});
}

function execute(mine) {
  const places = { filename: mine.name, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
  const plain = mine.once && mine.state === null ? plainScript(mine.code, places) : null;
  if (plain) {
    const value = plain.script.runInThisContext({ displayErrors: false });
    show(mine, value !== undefined && plain.hasValue() ? value : undefined);
    return;
  }
  const { source, columnOffset, isAsync, hasValue, names } = transformed(mine);
  const script = new Script(source, { ...places, columnOffset });
  globals.declare(names);
  const made = script.runInThisContext({ displayErrors: false });
  if (isAsync) {
    made().then(
      (value) => show(mine, value),
      (error) => fail(mine, error),
    );
  } else show(mine, hasValue ? made : undefined);
}

function transformed({ code, name }) {
  try {
    return transform(code);
  } catch (error) {
    throw syntaxError(error, code, name);
  }
}

function show(mine, value) {
  if (mine !== cell || mine.isSettled) return;
  if (value === undefined) {
    settle(mine);
    return;
  }
  globals.set('_', value);
  const data = bundle(value);
  if (typeof data.then !== 'function') publisher.publish('result', data);
  else {
    data
      .then((made) => publisher.publish('result', made))
      .then(
        () => settle(mine),
        (error) => fail(mine, error),
      );
    return;
  }
  settle(mine);
}

/** The code has ended; a program continues until nothing is left to wait for. */
function settle(mine) {
  mine.isSettled = true;
  // A rejection without a handler is reported at the end of this turn.
  if (!mine.once) nextTurn(() => finish(mine, { status: 'ok', exitCode: null }));
}

function fail(mine, error) {
  if (mine !== cell || error === EXIT) return;
  const heard = mine.once ? 0 : Number(ask('i'));
  if (heard > 0 && heard >= mine.firstInterrupt) {
    // The end of a program that a call waited for, for example.
    onInterrupt(heard);
    return;
  }
  const described = describe(error);
  end(mine, { status: 'error', exitCode: mine.once ? 1 : null, error: described });
}

/** Ends the cell; a one-shot run ends as a program does, with its exit handlers. */
function end(mine, result) {
  if (!mine.once) {
    finish(mine, result);
    return;
  }
  if (mine.end) return;
  mine.end = result;
  if (result.error) emit('error', result.error);
  exitProcess.call(process, result.exitCode);
}

function finish(mine, { status, exitCode, error }) {
  if (mine !== cell) return;
  cell = null;
  watch?.allow(0);
  unreported = () => {
    if (error) emit('error', error);
    report(mine, status, exitCode);
    unreported = null;
  };
  unreported();
}

function report({ state, changesSince }, status, exitCode) {
  if (state !== null) emit('state', globals.state());
  const changed = changesSince === undefined ? '' : ask(`c${changesSince}`);
  emit('done', {
    status,
    exitCode,
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    dropped: publisher.dropped,
    ...(changed !== '' && { filesChanged: changed === '1' }),
  });
}

function onInterrupt(number) {
  ask('h');
  unreported?.();
  const mine = cell;
  if (!mine || number < mine.firstInterrupt) return;
  finish(mine, { status: 'interrupted', exitCode: null, error: INTERRUPTED });
}

/** Errors that no code handles: they end a program, and the cell that runs. */
function onUncaught(error, event) {
  // User code handles them itself.
  if (error === EXIT || process.listenerCount(event) > 1) return;
  if (cell) fail(cell, error);
  else process.stderr.write(`${describe(error).traceback}\n`);
}

/** In a session the code ends here, and the session stays. */
function exitCell(code = process.exitCode ?? 0) {
  if (!cell || cell.once) {
    isLeaving = true;
    exitProcess.call(process, code);
  }
  const exitCode = Number(code) & 0xff;
  const error = { name: 'ProcessExit', message: String(exitCode), traceback: '' };
  finish(cell, exitCode === 0 ? { status: 'ok', exitCode } : { status: 'error', exitCode, error });
  throw EXIT;
}

/** After the exit handlers of a program. */
function onExit(code) {
  const mine = cell;
  if (!mine?.once) return;
  cell = null;
  const isStuck = !mine.isSettled && !isLeaving;
  const stuck = { status: 'error', exitCode: UNSETTLED_STATUS, error: UNSETTLED };
  const { status, exitCode, error } = mine.end ?? (isStuck ? stuck : exited(code));
  if (error && !mine.end) emit('error', error);
  report(mine, status, exitCode);
  reallyExit.call(process, exitCode);
}

function exited(code) {
  if (code === 0) return { status: 'ok', exitCode: 0 };
  return { status: 'error', exitCode: code, error: { name: 'ProcessExit', message: String(code), traceback: '' } };
}

stdio.install();
globals.install(functionsOf(publisher));
process.exit = exitCell;
process.on('uncaughtException', (error) => onUncaught(error, 'uncaughtException'));
process.on('unhandledRejection', (error) => onUncaught(error, 'unhandledRejection'));
const { emit: emitEvent } = process;
process.emit = function (event, ...rest) {
  const result = emitEvent.call(this, event, ...rest);
  if (event === 'exit') onExit(process.exitCode ?? rest[0] ?? 0);
  return result;
};

// What the first cell would wait for.
bundle({ warm: [] });
const first = JSON.parse(readFirst(warmUp));
if (first.once) receive(first);
else {
  readMore(
    (line) => receive(JSON.parse(line)),
    () => reallyExit.call(process, 0),
  );
  // In a turn of its own: an interrupt ends all that executes, and that must not be this script. Node.js survives the end of
  // the callback of a message, not that of an immediate.
  const { MessageChannel } = require('node:worker_threads');
  const { port1, port2 } = new MessageChannel();
  port1.once('message', () => {
    port1.close();
    receive(first);
  });
  port2.postMessage(null);
}
