import { chmod, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CompiledAgents } from '../../../src/host/local/compiledAgents.ts';
import { findPython3 } from '../../../src/host/local/python3.ts';
import { loadAgent } from '../../../src/sandbox/agentBundle.ts';
import { IMAGES } from './hostIn.ts';

let home: string;
let folder: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'hothouse-compiled-'));
  folder = path.join(home, 'agents');
});
afterEach(() => rm(home, { recursive: true }));

const agent = await loadAgent(path.join(IMAGES, 'agent'));

const { path: python3 } = await findPython3(Promise.resolve());

const compiled = (program = agent) => new CompiledAgents(folder).of(program, python3);

describe('an agent that the machine compiles', () => {
  it('is compiled once for all processes of the user', async () => {
    const first = await compiled();
    expect(first).not.toEqual(agent);
    const [name = ''] = await readdir(folder);
    const file = await readFile(path.join(folder, name));
    expect(await compiled()).toEqual(first);
    expect(await readdir(folder)).toEqual([name]);
    expect(await readFile(path.join(folder, name))).toEqual(file);
  });

  it('is another one for another version of the agent', async () => {
    const first = await compiled();
    const changed = Buffer.concat([
      Buffer.from(String(agent.length - 8 + 2).padStart(8, '0')),
      agent.subarray(8),
      Buffer.from('#\n'),
    ]);
    const second = await compiled(changed);
    expect(await readdir(folder)).toHaveLength(2);
    expect(second.length).toBe(first.length);
  });

  it('is compiled again where its file is not whole, or is not what was written', async () => {
    const first = await compiled();
    const [name = ''] = await readdir(folder);
    await truncate(path.join(folder, name), first.length - 1_000);
    expect(await compiled()).toEqual(first);
    await writeFile(path.join(folder, name), Buffer.concat([Buffer.alloc(32), Buffer.from('00000004pass')]));
    expect(await compiled()).toEqual(first);
  });

  it('stays as it is where it cannot be compiled', async () => {
    const wrong = Buffer.from('00000005a = (');
    expect(await compiled(wrong)).toBe(wrong);
  });

  it('is compiled by the next sandbox where that has failed once', async () => {
    const program = path.join(home, 'python3');
    await writeFile(program, `#!/bin/sh\n[ -e ${home}/works ] && exec ${python3} "$@"\n`);
    await chmod(program, 0o755);
    const agents = new CompiledAgents(folder);
    expect((await agents.of(agent, program)).equals(agent)).toBe(true);
    await writeFile(path.join(home, 'works'), '');
    const second = await agents.of(agent, program);
    expect(second.equals(await compiled())).toBe(true);
  });

  it('needs no folder that can be written', async () => {
    await writeFile(folder, '');
    expect((await compiled()).subarray(0, 8).toString()).toMatch(/^\d{8}$/);
    expect(await compiled()).not.toEqual(agent);
  });
});
