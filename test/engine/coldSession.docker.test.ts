import { afterEach, describe, expect, it } from 'vitest';
import { type Isolated, isolationEngine, OWNER } from '../isolation/harness.ts';

let isolated: Isolated;
afterEach(() => isolated.dispose());

describe('a session in a sandbox whose libraries are not loaded yet', () => {
  // A sandbox whose libraries take longer than two minutes to load is destroyed, which must not happen here.
  it('stays alive: no question waits for the libraries', async () => {
    const lines: string[] = [];
    const debug = (message: string) => void lines.push(message);
    const log = { debug, info() {}, warn() {}, error() {} };
    isolated = await isolationEngine({ python: { preload: ['numpy', 'pandas', 'IPython'] } }, { log });
    const opened = await isolated.engine.openSession('python', OWNER);
    if (!opened.ok) throw new Error(opened.error.message);
    const request = { language: 'python', owner: OWNER, sessionId: opened.value.id } as const;
    expect(await isolated.engine.run({ ...request, code: 'x = 7' })).toMatchObject({ status: 'ok' });
    const ofSession = () => lines.filter((line) => line.includes(opened.value.sandboxId?.slice(0, 12) ?? 'none'));
    await expect.poll(ofSession, { timeout: 20_000 }).toContainEqual(expect.stringMatching(/preloaded/));
    expect(await isolated.engine.run({ ...request, code: 'import numpy\nx' })).toMatchObject({
      status: 'ok',
      result: { 'text/plain': '7' },
    });
  });
});
