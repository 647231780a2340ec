import { bootSandbox } from '../../../src/sandbox/boot.ts';
import { FakeHost } from '../../host/fakeHost.ts';
import { ownSpec } from '../hostContract.ts';
import { agentContract } from './agentContract.ts';
import { CAPS, resumeAttached } from './harness.ts';
import { miniLanguageSnippets } from './snippets.ts';

agentContract('the fake agent', () => {
  const host = new FakeHost();
  return {
    code: miniLanguageSnippets,
    open: () => bootSandbox(host, { spec: ownSpec(), agent: Buffer.from('00000004pass'), ...CAPS }),
    resume: (id, secret) => resumeAttached(host, id, secret),
    close: () => host.dispose(),
  };
});
