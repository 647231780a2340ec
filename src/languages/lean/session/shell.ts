import type { Sandbox } from '../../../sandbox/sandbox.ts';

/** Runs a script of the shell in the sandbox; resolves when it has ended, with whether it printed anything. Never rejects. */
export async function shell(sandbox: Sandbox, script: string): Promise<boolean> {
  let printed = false;
  const onStdout = () => {
    printed = true;
  };
  const start = { kind: 'exec' as const, argv: ['sh', '-c', script], cwd: '/', env: {} };
  await sandbox.start(start, { onStdout, onStderr: () => {} }).ended;
  return printed;
}
