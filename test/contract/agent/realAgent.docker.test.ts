import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { silentLog } from '../../../src/base/log.ts';
import { dockerHost } from '../../../src/host/docker/dockerHost.ts';
import { loadAgent } from '../../../src/sandbox/agentBundle.ts';
import { bootSandbox } from '../../../src/sandbox/boot.ts';
import { ownSpec } from '../hostContract.ts';
import { agentContract } from './agentContract.ts';
import { CAPS, resumeAttached } from './harness.ts';
import { pythonSnippets } from './snippets.ts';

const FOLDER = fileURLToPath(new URL('../../../images/agent', import.meta.url));

agentContract('the agent in a container', () => {
  const host = dockerHost({ env: process.env, home: homedir(), log: silentLog });
  return {
    code: pythonSnippets,
    open: async () =>
      bootSandbox(host, { spec: { ...ownSpec(), isAttachable: true }, agent: await loadAgent(FOLDER), ...CAPS }),
    resume: (id, secret) => resumeAttached(host, id, secret),
    close: () => host.dispose(),
  };
});
