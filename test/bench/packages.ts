import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { OptionsInput } from '../../src/engine/options.ts';
import { machineBuildSettings } from '../../src/host/buildSettings.ts';
import { nugetFeed } from '../engine/packages/nugetFeed.ts';
import { OWNER, realEngine } from './engine.ts';
import type { Measured } from './report.ts';
import { type Timing, time } from './stats.ts';

const execute = promisify(execFile);
const IMAGE = 'hothouse/python:latest';
/** Between two installations, as of a user who looks at the first: the next installer is ready. */
const PACE_MS = 6_000;
/** Installations of what was installed before. */
const AGAIN = 5;
/** One package, so that all are of about one size; the engine resolves each version. */
const PACKAGES = ['4.8.0', '4.9.0', '4.10.0', '4.11.0', '4.12.0'].map((version) => `humanize==${version}`);
/** The size of a much used package of NuGet, with an assembly for one framework. */
const NUGET_BYTES = 700_000;
const NUGET_VERSIONS = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0'];

interface Installs {
  readonly language: string;
  readonly options: OptionsInput;
  readonly packages: readonly string[];
}

const PIP: Installs = { language: 'python', options: { python: { preload: [] } }, packages: PACKAGES };

/** Measures the installation of packages that are in the cache of downloads, beside uv with its cache by `docker exec`. */
export async function measurePackages(): Promise<Measured> {
  // Fills the cache, which outlives the engine.
  await installAll(PIP);
  const { other, same } = await installAll(PIP);
  const nuget = await byNuget();
  return {
    rows: [
      { what: 'Hothouse, install into a session, from the cache', code: 'humanize', timing: other },
      { what: 'Hothouse, install into a session, the same again', code: 'humanize', timing: same },
      { what: 'docker exec uv pip install, from its cache', code: 'humanize', timing: await byDockerExec() },
      { what: 'Hothouse, install into a session of C#, from the cache', code: 'Large', timing: nuget.other },
      { what: 'Hothouse, install into a session of C#, the same again', code: 'Large', timing: nuget.same },
    ],
    figures: {},
  };
}

/** Packages of a feed on this machine. The image has no client of NuGet to compare with. */
async function byNuget() {
  const assembly = randomBytes(NUGET_BYTES);
  const files = { 'lib/netstandard2.0/Large.dll': assembly };
  const feed = await nugetFeed(NUGET_VERSIONS.map((version) => ({ name: 'Large', version, files })));
  const packages = NUGET_VERSIONS.map((version) => `Large@${version}`);
  const installs = { language: 'csharp', options: { packages: { nugetIndex: feed.url } }, packages };
  try {
    await installAll(installs);
    return await installAll(installs);
  } finally {
    await feed.close();
  }
}

/** Each package into a session of its own, and the first one into further sessions; the first starts an installer. */
async function installAll(installs: Installs): Promise<{ readonly other: Timing; readonly same: Timing }> {
  const { language, options, packages } = installs;
  const engine = await realEngine(options);
  const install = async (name: string, sessionId: string) => {
    const done = await engine.installPackages({ sessionId, owner: OWNER, packages: [name] });
    if (!done.ok) throw new Error(done.error.message);
  };
  const [first = '', ...rest] = packages;
  const sessions: string[] = [];
  const next = () => sessions.pop() ?? '';
  try {
    for (let count = 0; count < packages.length + AGAIN; count += 1) {
      const opened = await engine.openSession(language, OWNER);
      if (!opened.ok) throw new Error(opened.error.message);
      sessions.push(opened.value.id);
    }
    await install(first, next());
    const names = rest.values();
    const other = await time(rest.length, () => install(names.next().value ?? first, next()), 0, PACE_MS);
    return { other, same: await time(AGAIN, () => install(first, next()), 0) };
  } finally {
    await engine.dispose();
  }
}

async function byDockerExec(): Promise<Timing> {
  const { stdout } = await execute('docker', ['run', '-d', '--rm', IMAGE, 'sleep', '600']);
  const id = stdout.trim();
  const { files = {}, buildArgs } = await machineBuildSettings(process.env);
  const certificates = files['machine/ca-certificates.crt'] ?? '';
  const variables = Object.entries({ ...buildArgs, SSL_CERT_FILE: '/tmp/certificates' });
  const given = variables.flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  let count = 0;
  const install = (name: string) => {
    count += 1;
    const line = ['uv', 'pip', 'install', '--target', `/tmp/${count}`, name];
    return execute('docker', ['exec', ...given, id, ...line]);
  };
  try {
    if (certificates) {
      const written = execute('docker', ['exec', '-i', id, 'sh', '-c', 'cat > /tmp/certificates']);
      written.child.stdin?.end(certificates);
      await written;
    }
    for (const name of PACKAGES) await install(name);
    const names = PACKAGES.values();
    return await time(PACKAGES.length, () => install(names.next().value ?? ''), 0);
  } finally {
    await execute('docker', ['rm', '-f', id]);
  }
}
