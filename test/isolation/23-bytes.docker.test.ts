import { describe, expect, it } from 'vitest';
import type { RunOutput } from '../../src/engine/types.ts';
import { fileFixture } from '../fileFixture.ts';
import { isolationEngine, OWNER, run } from './harness.ts';

const RUNS = 40;
const OUTPUTS = 250;

// Random bytes in pieces of random length, one stream after the other; prints at the end what it wrote.
const WRITE = `
import base64, os, random
wrote = {1: b"", 2: b""}
for number in range(${OUTPUTS}):
    fd = 1 + number % 2
    piece = random.choice((
        os.urandom(random.randrange(1, 40)),
        bytes(random.randrange(3)),
        random.choice(("é", "€", "😀", "\\x1b[0m")).encode()[: random.randrange(1, 5)],
        b'\\xed\\xa0\\x80", "\\\\u',
    ))
    os.write(fd, piece)
    wrote[fd] += piece
out, err = (base64.b64encode(wrote[fd]).decode() for fd in (1, 2))`;

const isolated = fileFixture(() => isolationEngine());

/** What a strict reader makes of `value` as JSON: throws when bytes or text are not valid. */
function strictlyRead(value: unknown): unknown {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(JSON.stringify(value)));
  // JSON.stringify writes half a surrogate pair as an escape, which other parsers refuse.
  expect(text).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/i);
  return JSON.parse(text);
}

describe('row 23: bytes that are not text', () => {
  it(`become valid JSON: ${RUNS * OUTPUTS} random outputs`, async () => {
    for (let round = 0; round < RUNS; round += 1) {
      const outputs: RunOutput[] = [];
      const request = { language: 'python', code: WRITE, owner: OWNER, state: {} } as const;
      const result = await isolated.engine.run(request, (output) => outputs.push(output));
      expect(result.status).toBe('ok');
      for (const output of outputs) expect(strictlyRead(output)).toEqual(output);
      expect(strictlyRead(result)).toEqual(JSON.parse(JSON.stringify(result)));
      for (const [text, wrote] of [
        [result.stdout, result.state?.out],
        [result.stderr, result.state?.err],
      ])
        expect(text).toBe(Buffer.from(String(wrote), 'base64').toString('utf8'));
    }
  });

  it.each([
    ['a display', 'display({"text/plain": HALF, HALF: HALF}, raw=True)'],
    ['a result', 'class R:\n    def _repr_html_(self): return HALF\n    def __repr__(self): return HALF\nR()'],
    ['an error', 'raise ValueError(HALF)'],
    ['the name of an error', 'raise type(HALF, (Exception,), {})("x")'],
    ['a state', 'kept = [HALF, {HALF: "\\\\ud800"}, "😀"]'],
    ['stdout', 'print(HALF)'],
    ['NUL everywhere', 'print("\\0")\nkept = "\\0"\nraise ValueError("\\0")'],
  ])('%s with half a surrogate pair becomes valid JSON', async (_, code) => {
    const outputs: RunOutput[] = [];
    const request = { language: 'python', code: `HALF = chr(0xd800)\n${code}`, owner: OWNER, state: {} } as const;
    const result = await isolated.engine.run(request, (output) => outputs.push(output));
    expect(['ok', 'error']).toContain(result.status);
    strictlyRead([outputs, result]);
  });

  it('valid text stays unchanged', async () => {
    const { state } = await run(isolated, String.raw`kept = ["😀", "\\ud800", "\\\\ud83d", "é"]`, { state: {} });
    expect(state?.kept).toEqual(['😀', '\\ud800', '\\\\ud83d', 'é']);
  });
});
