import { expect, it } from 'vitest';
import type { Owner } from '../../src/engine/types.ts';
import { fileFixture } from '../fileFixture.ts';
import { OWNER as AGENT, isolationEngine, run } from '../isolation/harness.ts';

const PERSON: Owner = { id: 'notebook', kind: 'notebook', label: 'notebook' };
const isolated = fileFixture(() => isolationEngine({ limits: { memoryMb: 128, notebookMemoryMb: 512 } }));
const fill = (mb: number) => `filled = b"x" * (${mb} << 20)`;

/** How a new session of the owner ends that fills so much memory. */
async function filled(owner: Owner, mb: number) {
  const { engine } = isolated;
  const opened = await engine.openSession('python', owner);
  if (!opened.ok) throw new Error(opened.error.message);
  return engine.run({ language: 'python', owner, code: fill(mb), sessionId: opened.value.id });
}

it("gives the session of a person's notebook more memory", async () => {
  expect(await filled(PERSON, 300)).toMatchObject({ status: 'ok' });
});

it('gives an agent no more, in a session and in a run', async () => {
  const refused = { status: 'out_of_memory', error: { message: expect.stringContaining('limits.memoryMb') } };
  expect(await filled(AGENT, 300)).toMatchObject(refused);
  expect(await run(isolated, fill(300), { owner: PERSON })).toMatchObject(refused);
});

it('names the option of notebooks where their limit is reached', async () => {
  const { status, error } = await filled(PERSON, 700);
  expect(status).toBe('out_of_memory');
  expect(error?.message).toContain('512 MB that a sandbox has. Use less, or raise the option limits.notebookMemoryMb.');
});
