import { homedir } from 'node:os';
import { silentLog } from '../../../src/base/log.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import { bootSandbox } from '../../../src/sandbox/boot.ts';
import { changedAgent } from '../../isolation/changedAgent.ts';
import { ownSpec } from '../hostContract.ts';
import { agentContract } from './agentContract.ts';
import { CAPS, resumeAttached } from './harness.ts';
import { pythonSnippets } from './snippets.ts';

/** Where splice(2) is missing. */
const COPIES = 'best = Copier';

agentContract('the agent in a container without splice(2)', () => {
  const host = dockerHost({ env: process.env, home: homedir(), log: silentLog });
  const agent = changedAgent(COPIES, 'transfer');
  return {
    code: pythonSnippets,
    open: async () => bootSandbox(host, { spec: { ...ownSpec(), isAttachable: true }, agent: await agent, ...CAPS }),
    resume: (id, secret) => resumeAttached(host, id, secret),
    close: () => host.dispose(),
  };
});
