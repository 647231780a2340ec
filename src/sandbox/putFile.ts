import type { Sandbox } from './sandbox.ts';

/**
 * Writes a file in the sandbox's `/workspace` or `/tmp`, in the place of whatever has its name, until the next reset.
 * Rejects with the agent's words when it can't be written there or has over `MAX_PUT_BYTES`.
 */
export async function putFile(sandbox: Sandbox, path: string, content: string | Uint8Array): Promise<void> {
  await sandbox.request({ op: 'put', path, content: Buffer.from(content).toString('base64') });
}
