import { describe, expect, it } from 'vitest';
import { call, connectAsking, connectInMemory, textOf } from './connect.ts';
import { StubEngine } from './stubEngine.ts';

const INPUT = { session_id: 's1', packages: ['tqdm', 'requests>=2'] };

/** An engine that installs only what a person has agreed to. */
function careful(): StubEngine {
  const engine = new StubEngine();
  engine.onInstall = ({ sessionId, isApproved }) =>
    isApproved
      ? {
          ok: true,
          value: {
            sessionId,
            added: [{ name: 'tqdm', version: '4', replaced: '3' }],
            output: 'x',
            notes: ['Restart.'],
          },
        }
      : { ok: false, error: { kind: 'needs_approval', message: 'It needs agreement.', advice: 'Ask.' } };
  return engine;
}

describe('install_packages', () => {
  it('asks the user of the client, and installs after they agree', async () => {
    const engine = careful();
    const questions: string[] = [];
    const client = await connectAsking(engine, 'accept', questions);
    const installed = await call(client, 'install_packages', INPUT);
    expect(questions).toEqual(['Install tqdm, requests>=2 into session s1?']);
    expect(textOf(installed)).toBe('Installed tqdm 4.\nRestart.');
    expect(installed.structuredContent).toEqual({
      session_id: 's1',
      added: [{ name: 'tqdm', version: '4', replaced: '3' }],
      restart_notes: ['Restart.'],
      output: 'x',
    });
    expect(engine.installs.at(-1)).toMatchObject({ owner: { kind: 'mcp' }, isApproved: true, upgrade: false });
  });

  it('installs nothing when the user declines, or when the client cannot ask', async () => {
    const engine = careful();
    for (const client of [await connectAsking(engine, 'decline', []), await connectInMemory(engine)]) {
      const refused = await call(client, 'install_packages', INPUT);
      expect(refused).toMatchObject({ isError: true });
      expect(textOf(refused)).toContain('It needs agreement.');
    }
    expect(engine.installs.every(({ isApproved }) => !isApproved)).toBe(true);
  });

  it('has no argument that approves, or selects an index', async () => {
    const client = await connectAsking(careful(), 'accept', []);
    for (const argument of ['isApproved', 'index', 'options', 'files']) {
      const refused = await call(client, 'install_packages', { ...INPUT, [argument]: true });
      expect(textOf(refused)).toContain(`There is no argument "${argument}"`);
    }
  });

  it('adds packages to an environment in place of those of their name, after the user agrees', async () => {
    const engine = careful();
    await engine.environments.create({ name: 'data', language: 'python', packages: { pip: ['polars==1', 'six'] } });
    const client = await connectAsking(engine, 'accept', []);
    const added = await call(client, 'install_packages', { environment: 'data', packages: ['Polars>=2', 'tqdm'] });
    expect(textOf(added)).toBe('The environment data has six, Polars>=2, tqdm.');
    expect(await engine.environments.find('data')).toMatchObject({
      value: { packages: { pip: ['six', 'Polars>=2', 'tqdm'] } },
    });
    const unknown = await call(client, 'install_packages', { environment: 'other', packages: ['tqdm'] });
    expect(unknown).toMatchObject({ isError: true });
  });

  it('needs a session or an environment, and not both', async () => {
    const client = await connectAsking(careful(), 'accept', []);
    for (const place of [{}, { session_id: 's1', environment: 'data' }]) {
      const refused = await call(client, 'install_packages', { packages: ['tqdm'], ...place });
      expect(textOf(refused)).toContain('Pass session_id or environment.');
    }
  });
});
