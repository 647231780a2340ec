import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askEngine, watchEngine } from './engineApi.ts';
import { type FaultBench, faultBench, OWNER, slowest, timed } from './harness.ts';

// One of ours, and one that a registry has, so that a pull could succeed.
const IMAGES = [
  { IMAGE: 'hothouse/absent:latest', command: 'hothouse build python' },
  { IMAGE: 'python:3.13-slim-hothouse-has-not' },
];
const COMMAND = 'hothouse build python';

describe.each(IMAGES)('row 30: a missing image ($IMAGE)', ({ IMAGE, command }) => {
  let bench: FaultBench;
  beforeAll(async () => {
    bench = await faultBench({ python: { image: IMAGE } });
  });
  afterAll(() => bench.engine.dispose());

  it('is reported within 3 s with the command that builds it, and nothing is pulled', async () => {
    const pulls: string[] = [];
    const stop = await watchEngine({ type: ['image'], event: ['pull'] }, ({ Actor }) => pulls.push(Actor.ID));
    const run = await timed(() => bench.run('print(1)'));
    const session = await timed(() => bench.engine.openSession('python', OWNER));
    const preflight = await timed(() => bench.engine.preflight());
    stop();

    expect(slowest([run, session, preflight])).toBeLessThan(3_000);
    expect(run.value).toMatchObject({ status: 'rejected', error: { name: 'image_missing' } });
    for (const part of [IMAGE, COMMAND]) expect(run.value.error?.message).toContain(part);
    expect(session.value).toMatchObject({ ok: false, error: { kind: 'image_missing' } });
    expect(session.value.ok ? undefined : session.value.error.command).toBe(command);
    expect(preflight.value.environments).toContainEqual(
      expect.objectContaining({
        image: null,
        imageName: IMAGE,
        problem: expect.objectContaining({ kind: 'image_missing' }),
      }),
    );
    expect(pulls.filter((name) => name.startsWith(IMAGE))).toEqual([]);
    expect((await askEngine('GET', `/images/${IMAGE}/json`)).status).toBe(404);
    expect(await bench.containers()).toEqual([]);
  });
});
