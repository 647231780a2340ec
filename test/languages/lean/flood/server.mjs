// Imitates a current Lean server that floods the client for a text with `#flood` in it: `node server.mjs FLOOD`.
/** With the answer to the question, as many messages of one version as are taken. */
const MOST = 9_999;
const times = (count, make) => Array.from({ length: count }, (_, n) => make(n));

/** The line that has `#flood`; null where none does. */
let floodLine = null;

const QUESTION = '#print axioms _root_.propext';
/** The line that asks whether Lean has read all before it; null where none does. */
let questionLine = null;

function answer() {
  const start = { line: questionLine, character: 0 };
  const range = { start, end: { line: questionLine, character: '#print'.length } };
  const message = "'propext' depends on axioms: [propext]";
  return { range, fullRange: range, severity: 3, message, source: 'Lean 4' };
}

function diagnosticOf(message, severity = 3) {
  const range = { start: { line: floodLine, character: 0 }, end: { line: floodLine, character: 5 } };
  return { range, fullRange: range, severity, message, source: 'Lean 4' };
}

/** Publications, each of that many diagnostics. */
const FLOODS = {
  largePrints: () => times(400, (n) => [diagnosticOf(`${n}`.repeat(20_000))]),
  smallPrints: () => times(MOST, (n) => [diagnosticOf(`${n}`)]),
  printsAtOnce: () => [times(MOST, (n) => diagnosticOf(`${n}`))],
  errorsAtOnce: () => [times(MOST, (n) => diagnosticOf(`${n}`, 1))],
  tooManySmall: () => times(100_000, (n) => [diagnosticOf(`${n}`)]),
  tooManyPrints: () => [times(100_000, (n) => diagnosticOf(`${n}`))],
  tooManyErrors: () => [times(100_000, (n) => diagnosticOf(`${n}`, 1))],
  theSame: () => times(2_000, () => [diagnosticOf('same')]),
  longText: () => [[diagnosticOf('é"\n'.repeat(1_200_000))]],
  tooLongText: () => [[diagnosticOf('x'.repeat(40_000_000))]],
  tooMuch: () => times(800, (n) => [diagnosticOf(`${n}`.repeat(25_000))]),
};

/** As many as a large library has. */
const COMPLETIONS = {
  isIncomplete: false,
  items: times(40_000, (n) => ({ label: `name${n}`, kind: 3, detail: 'Nat → Nat', sortText: `${n}` })),
};

function say(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  process.stdout.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
}

function publish({ uri, version }) {
  const publications = floodLine !== null ? FLOODS[process.argv[2]]() : [[]];
  if (questionLine !== null) publications.push([answer()]);
  for (const [index, diagnostics] of publications.entries()) {
    const params = { uri, version, diagnostics, isIncremental: index > 0 };
    say({ method: 'textDocument/publishDiagnostics', params });
  }
}

function hear({ method, id, params }) {
  if (method === 'textDocument/didOpen') publish(params.textDocument);
  if (method === 'textDocument/didChange') {
    for (const { range, text } of params.contentChanges) {
      // An edit that begins within its line leaves it there.
      if (text.includes('#flood')) floodLine = range.start.line;
      else if (range.start.character === 0 && range.start.line <= floodLine) floodLine = null;
      const question = text.indexOf(QUESTION);
      if (question >= 0) questionLine = range.start.line + text.slice(0, question).split('\n').length - 1;
      else if (range.start.line <= questionLine) questionLine = null;
    }
    publish(params.textDocument);
  }
  if (id === undefined) return;
  if (method.endsWith('completion')) say({ id, result: COMPLETIONS });
  else say({ id, result: /initialize|waitFor/.test(method) ? {} : null });
}

let waiting = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  waiting = Buffer.concat([waiting, chunk]);
  for (let end = waiting.indexOf('\r\n\r\n'); end >= 0; end = waiting.indexOf('\r\n\r\n')) {
    const length = Number(/Content-Length: (\d+)/.exec(waiting.toString('latin1', 0, end))?.[1]);
    if (waiting.length < end + 4 + length) return;
    hear(JSON.parse(waiting.toString('utf8', end + 4, end + 4 + length)));
    waiting = waiting.subarray(end + 4 + length);
  }
});
process.stdin.on('end', () => process.exit());
