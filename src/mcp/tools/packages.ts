import { z } from 'zod';
import { withEntries } from '../../engine/packages/packageName.ts';
import type { InstallReport } from '../../engine/packages/types.ts';
import { invalidRequest } from '../../engine/problems.ts';
import { createAsked } from '../createAsked.ts';
import { defineTool, refused, success, type ToolCall } from '../tool.ts';

const MAX_ENTRIES = 200;
/** Characters of a build's output that are returned. */
const MAX_OUTPUT = 10_000;

/** `install_packages`. */
export const installPackages = defineTool({
  name: 'install_packages',
  title: 'Package Installation',
  description:
    'Installs packages, with what they require, into a live session. Its variables stay, and imports work at once. They come from the indexes of this machine through a sandbox of its own; the session has no network. A line `%pip install NAME`, `!npm install NAME` for Node.js or `#r "nuget: NAME"` for C#, in the code of a session does the same. With environment, adds them to an environment and builds it. The user may be asked first, or may have turned this off.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  asks: true,
  input: z.strictObject({
    session_id: z.string().optional().describe('From open_session or list_sessions.'),
    environment: z
      .string()
      .optional()
      .describe('Name of an environment without open sessions, in place of session_id.'),
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
    session_id: z.string().optional(),
    environment: z.string().optional(),
    packages: z.array(z.string()).optional().describe('All packages of the environment.'),
    added: z
      .array(
        z.strictObject({
          name: z.string(),
          version: z.string(),
          replaced: z.string().nullable().describe('The version that the session had before, or null.'),
        }),
      )
      .optional(),
    restart_notes: z.array(z.string()).optional().describe('Modules that need a restart of the session to be used.'),
    output: z.string().describe('What the installer or the build has said.'),
  }),
  async call({ session_id, environment, packages, upgrade }, context) {
    if ((session_id === undefined) === (environment === undefined)) return refused(EITHER);
    if (environment !== undefined) return extend(environment, packages, context);
    return session_id === undefined ? refused(EITHER) : install(session_id, packages, upgrade, context);
  },
});

const EITHER = invalidRequest('Packages go into a session or an environment.', 'Pass session_id or environment.');

async function install(
  session_id: string,
  packages: readonly string[],
  upgrade: boolean,
  { engine, owner, signal, onOutput, approve }: ToolCall,
) {
  const onText = (text: string) => onOutput({ kind: 'stdout', text });
  const install = (isApproved: boolean) =>
    engine.installPackages({ sessionId: session_id, owner, packages, upgrade, isApproved }, onText, signal);
  let installed = await install(false);
  if (!installed.ok && installed.error.kind === 'needs_approval') {
    const question = `Install ${packages.join(', ')} into session ${session_id}?`;
    if ((await approve(question)) === 'agreed') installed = await install(true);
  }
  if (!installed.ok) return refused(installed.error);
  const { added, notes, output } = installed.value;
  const fields = { session_id, added: added.map((one) => ({ ...one })), restart_notes: [...notes], output };
  return success(fields, [textOf(installed.value), ...notes].join('\n'));
}

/** Adds packages of the language's own manager to an environment, and builds it. */
async function extend(environment: string, entries: readonly string[], call: ToolCall) {
  const { engine, onOutput } = call;
  const found = await engine.environments.find(environment);
  if (!found.ok) return refused(found.error);
  const { name, language, base, packages, variables, network } = found.value;
  const manager = engine.languages.find(({ id }) => id === language)?.packageManager;
  if (!manager) return refused(invalidRequest(`Packages cannot be added for ${language}.`, 'Use create_environment.'));
  const all = withEntries(manager, packages[manager], entries);
  const input = { name, language, base, variables, network, packages: { ...packages, [manager]: all } };
  let output = '';
  const onLine = (line: string) => {
    output += `${line}\n`;
    onOutput({ kind: 'stderr', text: `${line}\n` });
  };
  const question = `Add ${entries.join(', ')} to the environment ${name}?`;
  const built = await createAsked(input, question, { onLine, replace: true }, call);
  if (!built.ok) return refused(built.error);
  const fields = { environment, packages: all, output: output.slice(-MAX_OUTPUT) };
  return success(fields, `The environment ${name} has ${all.join(', ')}.`);
}

function textOf({ added, sessionId }: InstallReport): string {
  const list = added.map(({ name, version }) => `${name} ${version}`).join(', ');
  return added.length === 0 ? `Session ${sessionId} has these packages already.` : `Installed ${list}.`;
}
