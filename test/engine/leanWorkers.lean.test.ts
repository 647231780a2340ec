import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/types.ts';
import { leanEngine, OWNER } from './leanEngine.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await leanEngine({ pool: { size: 2 } });
  await check();
  await expect.poll(() => idle().length, { timeout: 60_000 }).toBe(2);
});
afterEach(() => engine.dispose());

const check = () =>
  engine.run({ language: 'lean', owner: OWNER, code: 'theorem t : 1 = 1 := rfl', timeoutSeconds: 60 });
const idle = () =>
  engine
    .snapshot()
    .environments.flatMap(({ sandboxes }) => sandboxes)
    .filter(({ state }) => state === 'idle');

/**
 * Ends processes of Lean in sandboxes whose command line has a word. The engine learns of it only after this returns
 * and the event loop turns.
 */
function endLean(ids: readonly string[], word = '-'): void {
  const script = `cd /proc; for p in [0-9]*; do [ "$(cat $p/comm)" = lean ] && grep -q -e ${word} $p/cmdline && kill -9 $p; done; :`;
  for (const id of ids) execFileSync('docker', ['exec', id, 'sh', '-c', script], { stdio: 'ignore' });
}

describe('a warm worker whose server has ended', () => {
  it('is replaced by another one', async () => {
    const before = idle().map(({ id }) => id);
    endLean(before);
    await expect.poll(() => idle().filter(({ id }) => before.includes(id)).length, { timeout: 20_000 }).toBe(0);
    await expect.poll(() => idle().length, { timeout: 60_000 }).toBe(2);
    expect(await check()).toMatchObject({ status: 'ok', report: { verdict: 'accepted' } });
  });

  it('fails no run, even at the moment when it ends', async () => {
    // A sandbox that has served an owner is that owner's next one.
    const own = idle().filter(({ owner }) => owner?.id === OWNER.id);
    expect(own).toHaveLength(1);
    endLean(own.map(({ id }) => id));
    const { status, error, report } = await check();
    expect({ status, error, verdict: report?.verdict }).toEqual({ status: 'ok', error: null, verdict: 'accepted' });
  });

  it('fails no run when only its checking process has ended', async () => {
    endLean(
      idle().map(({ id }) => id),
      '--worker',
    );
    const { status, error, report } = await check();
    expect({ status, error, verdict: report?.verdict }).toEqual({ status: 'ok', error: null, verdict: 'accepted' });
  });

  it('does not affect a session', async () => {
    endLean(idle().map(({ id }) => id));
    const opened = await engine.openSession('lean', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const request = { language: 'lean' as const, owner: OWNER, sessionId: opened.value.id };
    expect(await engine.run({ ...request, code: 'def a : Nat := 7\n#eval a' })).toMatchObject({
      status: 'ok',
      stdout: '7\n',
    });
    await engine.closeSession(opened.value.id);
  });
});

it('code that ends its server ends its run after one retry', async () => {
  const code =
    '#eval IO.println "begun"\n#eval (do let _ ← IO.Process.output { cmd := "sh", args := #["-c", "kill -9 $(pidof lean)"] } : IO Unit)\n#eval IO.sleep 3000';
  const { status, error } = await engine.run({ language: 'lean', owner: OWNER, code, timeoutSeconds: 60 });
  expect({ status, name: error?.name }).toEqual({ status: 'error', name: 'LeanCrashed' });
  expect((await check()).report?.verdict).toBe('accepted');
});
