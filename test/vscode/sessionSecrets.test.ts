import { describe, expect, it } from 'vitest';
import type { SessionRecord } from '../../src/engine/types.ts';
import { SessionSecrets } from '../../src/vscode/notebook/reload/sessionSecrets.ts';

const RECORD: SessionRecord = {
  version: 1,
  sessionId: 'py-1',
  language: 'python',
  environment: 'python',
  owner: { id: 'notebook/a', kind: 'notebook', label: 'a.ipynb' },
  sandboxId: 'abc',
  secret: '0'.repeat(64),
  openedAt: 1,
};

/** VS Code's secret storage, in memory. */
function setUp() {
  const stored = new Map<string, string>();
  const secrets = new SessionSecrets({
    keys: async () => [...stored.keys()],
    get: async (key) => stored.get(key),
    store: async (key, value) => void stored.set(key, value),
    delete: async (key) => void stored.delete(key),
    onDidChange: () => ({ dispose: () => {} }),
  });
  return { stored, secrets };
}

describe('SessionSecrets', () => {
  it('returns the record that was saved last, and none after its removal', async () => {
    const { secrets } = setUp();
    await secrets.save(RECORD);
    await secrets.save({ ...RECORD, sandboxId: 'def' });
    expect(await secrets.find('py-1')).toEqual({ ...RECORD, sandboxId: 'def' });
    await secrets.remove('py-1');
    expect(await secrets.find('py-1')).toBeNull();
  });

  it('keeps records once the window closes', async () => {
    const { secrets } = setUp();
    await secrets.save(RECORD);
    secrets.leave();
    await secrets.remove('py-1');
    expect(await secrets.find('py-1')).toEqual(RECORD);
  });

  it.each(['', 'no JSON', '{}', JSON.stringify({ ...RECORD, version: 2 })])(
    'ignores what it cannot read: %s',
    async (text) => {
      const { stored, secrets } = setUp();
      stored.set('hothouse.session.py-1', text);
      expect(await secrets.find('py-1')).toBeNull();
    },
  );

  it("keeps notebooks' sessions only: those of agents end with the window", () => {
    const { secrets } = setUp();
    expect(secrets.accepts(RECORD.owner)).toBe(true);
    expect(secrets.accepts({ id: 'a', kind: 'mcp', label: 'a' })).toBe(false);
  });
});
