import { z } from 'zod';
import type { Host } from '../../host/host.ts';
import type { ContainerSpec } from '../../host/spec.ts';
import type { PackageManager } from '../../languages/languageDefinition.ts';
import { type BootOptions, bootSandbox } from '../../sandbox/boot.ts';
import type { IndexSettings } from '../packages/machineIndex.ts';
import { HostPattern } from './hostPattern.ts';

/** What prints the hosts that a manager installs from where nothing names an index. That of NuGet has no such index. */
const ASK: Partial<Readonly<Record<PackageManager, string>>> = {
  pip: `
import json
from pip._internal.models.index import PyPI
print(json.dumps([PyPI.netloc, PyPI.file_storage_domain]))
`,
  npm: `
import json, subprocess, urllib.parse
address = subprocess.check_output(["npm", "config", "get", "registry"], text=True)
print(json.dumps([urllib.parse.urlsplit(address.strip()).netloc]))
`,
};
const ASK_MS = 20_000;
const MAX_ANSWER_BYTES = 4_096;
const Hosts = z.array(HostPattern).max(10);

type Indexes = Pick<IndexSettings, 'index' | 'npmIndex' | 'nugetIndex' | 'extraIndexes'>;

/** The hosts of the manager's indexes that the settings name, as `HostPattern`s; empty where they name none. */
export function indexHosts(
  manager: PackageManager,
  { index, npmIndex, nugetIndex, extraIndexes }: Indexes,
): readonly string[] {
  const others: Partial<Readonly<Record<PackageManager, string>>> = { npm: npmIndex, nuget: nugetIndex };
  const other = others[manager];
  const addresses = other === undefined ? [index, ...extraIndexes] : [other];
  if (!addresses[0]) return [];
  return addresses.flatMap((address) => {
    if (!URL.canParse(address)) return [];
    const { hostname, port } = new URL(address);
    const parsed = HostPattern.safeParse(port ? `${hostname}:${port}` : hostname);
    return parsed.success ? [parsed.data] : [];
  });
}

/**
 * The hosts that the manager of an image uses by default, asked in a container of its own without a network. Empty where it
 * does not say. Rejects with a `HostError` when no container starts.
 */
export async function defaultHosts(
  manager: PackageManager,
  host: Host,
  spec: ContainerSpec,
  terms: Pick<BootOptions, 'agent' | 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const program = ASK[manager];
  if (program === undefined) return [];
  const limits = { outputBytes: MAX_ANSWER_BYTES, eventBytes: MAX_ANSWER_BYTES, events: 1 };
  const sandbox = await bootSandbox(host, { ...terms, ...limits, spec: { ...spec, network: 'none' } }, signal);
  try {
    let answer = '';
    const channel = sandbox.start(
      { kind: 'exec', argv: ['python3', '-I', '-c', program], cwd: '/', env: {} },
      {
        onStdout: (bytes) => {
          answer += bytes.toString('utf8');
        },
        onStderr: () => {},
      },
    );
    const timer = terms.clock?.schedule(ASK_MS, () => void channel.signal('SIGKILL'));
    await channel.ended;
    timer?.dispose();
    return parsed(answer);
  } finally {
    await sandbox.dispose();
  }
}

function parsed(answer: string): readonly string[] {
  try {
    return Hosts.parse(JSON.parse(answer));
  } catch {
    return [];
  }
}
