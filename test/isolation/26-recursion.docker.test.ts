import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Isolated, isolationEngine, look, run, sandboxes } from './harness.ts';

const ROUNDS = 10;

const IN_C = `
import ctypes
ctypes.CDLL(None).regcomp(ctypes.create_string_buffer(1024), b"(" * 2_000_000, 1)`;
// Python's own limit, then ways past it, down to the end of the stack. What may end each, and nothing else.
const DEEP: Readonly<Record<string, { readonly code: string; readonly ends: readonly string[] }>> = {
  'a function': { code: 'def f(): f()\nf()', ends: ['RecursionError'] },
  'a comparison': { code: 'a = []\na.append(a)\nb = []\nb.append(b)\na == b', ends: ['RecursionError'] },
  // The C library's own parser of regular expressions calls itself once for each bracket.
  'in C': { code: IN_C, ends: ['SIGSEGV'] },
  'in C, with a stack that was asked for': {
    code: `
import resource
try: resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (OSError, ValueError): pass
${IN_C}`,
    ends: ['SIGSEGV'],
  },
  'source code': { code: `${'-'.repeat(100_000)}1`, ends: ['MemoryError', 'RecursionError'] },
};

let isolated: Isolated;
beforeAll(async () => {
  // Less than the kernel would let a stack without limit grow.
  isolated = await isolationEngine({ limits: { memoryMb: 96 } });
});
afterAll(() => isolated.dispose());

describe('row 26: endless recursion', () => {
  it.each(Object.entries(DEEP))(
    `of %s returns a typed error and the agent survives, ${ROUNDS} times`,
    async (_, deep) => {
      await look(isolated, 'seen = 1');
      const before = sandboxes(isolated);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { status, error } = await run(isolated, deep.code);
        expect(status).toBe('error');
        expect(deep.ends).toContain(error?.name);
      }
      expect(await look(isolated, 'seen = 1')).toBe(1);
      expect(sandboxes(isolated)).toEqual(before);
    },
  );
});
