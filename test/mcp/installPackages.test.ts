import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createMcpServer } from '../../src/mcp/mcpServer.ts';
import { call, connectInMemory, textOf } from './connect.ts';
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

async function asking(engine: StubEngine, action: 'accept' | 'decline', questions: string[]): Promise<Client> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await createMcpServer({ engine, version: '1' }, 'owner-1').connect(serverSide);
  const client = new Client({ name: 'test-client', version: '9' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return { action, content: {} };
  });
  await client.connect(clientSide);
  return client;
}

describe('install_packages', () => {
  it('asks the user of the client, and installs after they agree', async () => {
    const engine = careful();
    const questions: string[] = [];
    const client = await asking(engine, 'accept', questions);
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
    for (const client of [await asking(engine, 'decline', []), await connectInMemory(engine)]) {
      const refused = await call(client, 'install_packages', INPUT);
      expect(refused).toMatchObject({ isError: true });
      expect(textOf(refused)).toContain('It needs agreement.');
    }
    expect(engine.installs.every(({ isApproved }) => !isApproved)).toBe(true);
  });

  it('has no argument that approves, or selects an index', async () => {
    const client = await asking(careful(), 'accept', []);
    for (const argument of ['isApproved', 'index', 'options', 'files']) {
      const refused = await call(client, 'install_packages', { ...INPUT, [argument]: true });
      expect(textOf(refused)).toContain(`There is no argument "${argument}"`);
    }
  });
});
