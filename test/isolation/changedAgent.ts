import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAgent } from '../../src/sandbox/agentBundle.ts';
import { AGENT } from './harness.ts';

/** The agent with Python code at the end of one of its modules, where it can replace what the module defines. */
export async function changedAgent(code: string, module = 'wipe'): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'hothouse-agent-'));
  try {
    await cp(AGENT, folder, { recursive: true });
    await appendFile(path.join(folder, `hothouse_agent/${module}.py`), `\n\n${code}\n`);
    return await loadAgent(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
