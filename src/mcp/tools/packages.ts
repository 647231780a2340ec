import { z } from 'zod';
import type { InstallReport } from '../../engine/packages/types.ts';
import { defineTool, refused, success } from '../tool.ts';

const MAX_ENTRIES = 200;

/** `install_packages`. */
export const installPackages = defineTool({
  name: 'install_packages',
  title: 'Install packages into a session',
  description:
    'Installs packages, with what they require, into a live session; its variables stay, and imports work at once. They come from the indexes of this machine through a container of its own; the session has no network. A line `%pip install NAME` in the code of a session does the same. The user may be asked first, or may have turned this off.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  asks: true,
  input: z.strictObject({
    session_id: z.string().describe('From open_session or list_sessions.'),
    packages: z
      .array(z.string())
      .min(1)
      .max(MAX_ENTRIES)
      .describe(
        'Names, with extras and versions: "polars", "requests[socks]>=2,<3". Options, URLs and paths are not accepted.',
      ),
    upgrade: z.boolean().default(false).describe('Whether packages that the session has are upgraded.'),
  }),
  output: z.strictObject({
    session_id: z.string(),
    added: z.array(
      z.strictObject({
        name: z.string(),
        version: z.string(),
        replaced: z.string().nullable().describe('The version that the session had before, or null.'),
      }),
    ),
    restart_notes: z.array(z.string()).describe('Modules that need a restart of the session to be used.'),
    output: z.string().describe('What the installer has said.'),
  }),
  async call({ session_id, packages, upgrade }, { engine, owner, signal, onOutput, approve }) {
    const onText = (text: string) => onOutput({ kind: 'stdout', text });
    const install = (isApproved: boolean) =>
      engine.installPackages({ sessionId: session_id, owner, packages, upgrade, isApproved }, onText, signal);
    let installed = await install(false);
    if (!installed.ok && installed.error.kind === 'needs_approval') {
      const question = `Install ${packages.join(', ')} into session ${session_id}?`;
      if (approve(question) === 'agreed') installed = await install(true);
    }
    if (!installed.ok) return refused(installed.error);
    const { added, notes, output } = installed.value;
    const fields = { session_id, added: added.map((one) => ({ ...one })), restart_notes: [...notes], output };
    return success(fields, [textOf(installed.value), ...notes].join('\n'));
  },
});

function textOf({ added, sessionId }: InstallReport): string {
  const list = added.map(({ name, version }) => `${name} ${version}`).join(', ');
  return added.length === 0 ? `Session ${sessionId} has these packages already.` : `Installed ${list}.`;
}
