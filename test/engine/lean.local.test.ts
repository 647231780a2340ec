import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, Owner } from '../../src/engine/types.ts';
import { engineIn } from '../host/local/engineIn.ts';
import { leanCells } from './leanSessions.ts';

const OWNER: Owner = { id: 'prover', kind: 'mcp', label: 'prover' };
/** The Lean that `npm test` finds on this machine. */
const TOOLCHAIN = process.env.LEAN_TOOLCHAIN_DIR ?? '';
const hasLean = existsSync(path.join(TOOLCHAIN, 'bin/lean'));
if (!hasLean) console.log('Lean without a container engine is not tested: LEAN_TOOLCHAIN_DIR names no toolchain.');

let home: string;
let engine: Engine;
const newEngine = (env: NodeJS.ProcessEnv) => engineIn(home, { options: { lean: { reuse: 'sandbox' } }, env });

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-lean-'));
  engine = await newEngine({ ...process.env, LEAN_TOOLCHAIN_DIR: TOOLCHAIN });
});
afterAll(async () => {
  await engine.dispose();
  await rm(home, { recursive: true });
});

describe('the environment of Lean without a container engine', () => {
  it.each([
    [
      'no Lean',
      { PATH: '/usr/bin:/bin', HOME: '/nowhere' },
      /There is no Lean here\. Install elan .* or LEAN_TOOLCHAIN_DIR\./,
    ],
    [
      'a folder without one',
      { ...process.env, LEAN_TOOLCHAIN_DIR: '/usr' },
      /\/usr is no toolchain of Lean: it has no bin\/lean\./,
    ],
  ])('is not built where there is %s', async (_, env, message) => {
    const other = await newEngine(env);
    const built = await other.buildEnvironment('lean', () => {});
    await other.dispose();
    expect(built).toMatchObject({
      ok: false,
      error: { kind: 'build_failed', message: expect.stringMatching(message) },
    });
  });
});

describe.runIf(hasLean)('Lean without a container engine', () => {
  beforeAll(async () => {
    expect(await engine.buildEnvironment('lean', () => {})).toMatchObject({ ok: true });
  });

  /** Builds with a home folder like those of elan, whose default is that toolchain; there is one, `v4.99.0`. */
  async function builtByElan(toolchain: string) {
    const user = await mkdtemp(path.join(tmpdir(), 'hothouse-elan-'));
    const toolchains = path.join(user, '.elan/toolchains');
    await mkdir(toolchains, { recursive: true });
    await symlink(TOOLCHAIN, path.join(toolchains, 'leanprover--lean4---v4.99.0'));
    const settings = `default_toolchain = "${toolchain}"\ntelemetry = false\nversion = "12"\n\n[overrides]\n`;
    await writeFile(path.join(user, '.elan/settings.toml'), settings);
    const other = await newEngine({ PATH: '/usr/bin:/bin', HOME: user });
    const lines: string[] = [];
    const built = await other.buildEnvironment('lean', (line) => lines.push(line));
    await other.dispose();
    await rm(user, { recursive: true });
    return { built, lines };
  }

  it('is that of the default toolchain of elan', async () => {
    // The same as the one that is there already.
    expect(await builtByElan('leanprover/lean4:v4.99.0')).toMatchObject({ built: { ok: true }, lines: [] });
  });

  it('is not built where the default toolchain of elan is not installed', async () => {
    const message = expect.stringContaining('There is no Lean here.');
    expect((await builtByElan('leanprover/lean4:v4.98.0')).built).toMatchObject({ ok: false, error: { message } });
  });

  it('runs a program', async () => {
    const code = 'def main : IO Unit := IO.println "hello"';
    expect(await engine.run({ language: 'lean', owner: OWNER, code })).toMatchObject({
      status: 'ok',
      stdout: 'hello\n',
    });
  });

  it('judges proofs in one sandbox, which is reset after each', async () => {
    const sandboxes = () => engine.snapshot().environments.flatMap((one) => one.sandboxes.map(({ id }) => id));
    const check = async (code: string) => {
      const checked = await engine.lean.check({ owner: OWNER, proofs: [{ id: 'p', code }] });
      if (!checked.ok) throw new Error(checked.error.message);
      return checked.value[0]?.verdict;
    };
    expect(await check('theorem t : 1 + 1 = 2 := rfl')).toBe('accepted');
    const [first] = sandboxes();
    expect(first).toBeDefined();
    expect(await check('theorem t : 1 + 1 = 3 := rfl')).toBe('rejected');
    expect(await check('theorem u : 1 = 1 := t ▸ rfl')).toBe('rejected');
    expect(sandboxes()).toEqual([first]);
  });

  it('keeps definitions in a session', async () => {
    const cells = await leanCells(engine);
    expect((await cells.run('def two : Nat := 2')).report?.verdict).toBe('accepted');
    expect(await cells.print('#eval two + 40')).toBe('42\n');
  });

  it('ends a check that never does, and checks the next one', async () => {
    const endless = 'partial def f (n : Nat) : Nat := f (n + 1)\n#eval f 0';
    const run = (code: string, timeoutSeconds: number) =>
      engine.run({ language: 'lean', owner: OWNER, code, timeoutSeconds });
    expect((await run(endless, 3)).status).toBe('timeout');
    expect((await run('#eval 1', 60)).stdout).toBe('1\n');
  });
});
