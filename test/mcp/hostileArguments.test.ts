import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { LANGUAGES } from '../../src/languages/registry.ts';
import type { ToolCall } from '../../src/mcp/tool.ts';
import { toolsFor } from '../../src/mcp/toolList.ts';
import { textOf } from './connect.ts';
import { StubEngine } from './stubEngine.ts';

const FOREIGN = [
  'image',
  'network',
  'docker',
  'limits',
  'user',
  'mounts',
  'privileged',
  'env',
  '__proto__',
  'language ',
];
const OWN = ['language', 'code', 'session_id', 'timeout_seconds', 'stdin', 'state'];
const LONG = 'a'.repeat(100_000);
const VALUES = [null, true, -1, 1e300, [], {}, '../../etc/passwd', '$(reboot)', '\u0000', ['python'], { $ne: 1 }, LONG];

/** Arguments as they come off the wire, where `__proto__` is a key like others and the last of a name counts. */
function payloads(): unknown[] {
  return [...FOREIGN, ...OWN].flatMap((key) =>
    VALUES.map((value) =>
      JSON.parse(`{"language": "python", "code": "1", ${JSON.stringify(key)}: ${JSON.stringify(value)}}`),
    ),
  );
}

/** The required arguments of tools that have some. */
const SAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  run_code: { language: 'python', code: '1' },
  write_file: { session_id: 's', path: 'a', content: '' },
  read_file: { session_id: 's', path: 'a' },
  list_files: { session_id: 's' },
  delete_file: { session_id: 's', path: 'a' },
  try_code: { session_id: 's', candidates: [{ code: '1' }] },
  create_environment: { name: 'n', language: 'python' },
  install_packages: { session_id: 's', packages: ['six'] },
  open_session: { language: 'python' },
  lean_check: { proofs: [{ code: 'theorem t : True := trivial' }] },
  lean_goals: { code: 'theorem t : True := sorry' },
  lean_try: { code: 'theorem t : True := sorry', line: 1, column: 20, tactics: ['trivial'] },
};

function callOn(engine: StubEngine): ToolCall {
  const { signal } = new AbortController();
  return { engine, owner: { id: 'o', kind: 'mcp', label: 'l' }, signal, onOutput() {}, approve: async () => 'unable' };
}

describe('hostile arguments', () => {
  it('reach the engine only as known fields of the right type', async () => {
    const engine = new StubEngine();
    let refused = 0;
    for (const tool of toolsFor(LANGUAGES)) {
      for (const args of [...payloads(), null, 7, 'text', [1]]) {
        if ((await tool.handle(args, callOn(engine))).isError) refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(500);
    for (const { language, code, owner, ...rest } of engine.requests) {
      expect([language, typeof code, owner.id]).toEqual(['python', 'string', 'o']);
      const { sessionId = '', stdin = '', timeoutSeconds = 1, state = {}, reportFiles, onFiles, ...more } = rest;
      expect(more).toEqual({});
      expect([reportFiles, typeof onFiles]).toEqual([true, 'sessionId' in rest ? 'undefined' : 'function']);
      expect([typeof sessionId, typeof stdin, typeof timeoutSeconds]).toEqual(['string', 'string', 'number']);
      expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
    }
  });

  it.each(toolsFor(LANGUAGES).map((tool) => [tool.name, tool] as const))(
    'of null are as good as absent where they are optional: %s',
    async (_name, tool) => {
      const optional = Object.entries(tool.input.shape).filter(([, schema]) => (schema as z.ZodType).isOptional());
      const sample = SAMPLES[tool.name] ?? {};
      const plain = await tool.handle(sample, callOn(new StubEngine()));
      const nulls = Object.fromEntries(optional.map(([name]) => [name, null]));
      const answer = await tool.handle({ ...nulls, ...sample }, callOn(new StubEngine()));
      expect(answer.isError).toBe(plain.isError);
      expect(textOf(answer)).toBe(textOf(plain));
      expect(textOf(answer)).not.toContain('null was given');
    },
  );

  it('of null are as good as absent inside of a list too', async () => {
    const leanCheck = toolsFor(LANGUAGES).find(({ name }) => name === 'lean_check');
    const proofs = [{ id: null, code: 'theorem t : True := trivial', statement: null }];
    const answer = await leanCheck?.handle({ proofs, header: null }, callOn(new StubEngine()));
    expect(answer && textOf(answer)).not.toContain('was given');
  });

  it('named __proto__ or constructor are unknown arguments', async () => {
    const runCode = toolsFor(LANGUAGES).find(({ name }) => name === 'run_code');
    const args: unknown = JSON.parse('{"language":"python","code":"1","__proto__":{"stdin":7}}');
    expect(await runCode?.handle(args, callOn(new StubEngine()))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^There is no argument "__proto__"\./) }],
    });
  });
});
