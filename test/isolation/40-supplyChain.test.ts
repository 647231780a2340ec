import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
const manifest: Record<'dependencies' | 'devDependencies', Record<string, string>> = JSON.parse(read('package.json'));
const { packages }: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'));

describe('row 40: dependencies', () => {
  it('have exact versions, the same as in the lockfile', () => {
    const named = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(([, version]) => !EXACT.test(version))).toEqual([]);
    const other = named.filter(([name, version]) => packages[`node_modules/${name}`]?.version !== version);
    expect(other).toEqual([]);
  });

  it('are locked by the hash of every package, on every platform', () => {
    const locked = Object.entries(packages).filter(([path]) => path !== '');
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
  });

  it('are installed from the lockfile; others that set-up installs have exact versions', () => {
    const setUp = files
      .filter((path) => path.startsWith('src/setup/'))
      .map(read)
      .join('\n');
    expect(setUp).toContain("'npm', ['ci'");
    const others = [...setUp.matchAll(/npmInstall\(\w+, `([^`]+)`/g)].map(([, name = '']) => name);
    expect(others.map((name) => name.replace(/\$\{(\w+)\}/, '$1'))).toEqual([
      'code-server@CODE_SERVER',
      'node@version',
    ]);
    expect([...setUp.matchAll(/ensureNode\((\w+)\)/g)].map(([, name]) => name)).toEqual(['NODE', 'NODE', 'version']);
    const versions = [...setUp.matchAll(/^const (?:CODE_SERVER|NODE) = '([^']+)';$/gm)].map(([, version]) => version);
    expect(versions).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(EXACT)));
  });
});

const basesOf = (dockerfile: string) => [...dockerfile.matchAll(/^ARG BASE=(.*)$/gm)].map(([, base]) => base);

describe('row 40: images', () => {
  const dockerfiles = files.filter((path) => /(^|\/)Dockerfile$/.test(path));

  it.each(dockerfiles)('%s starts from one Debian, pinned by digest, or from the base image of the builder', (path) => {
    const text = read(path);
    const stages = [...text.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name = '']) => name);
    const begins = [...text.matchAll(/^FROM (\S+)/gm)].map(([, name = '']) => name);
    expect(begins.length).toBeGreaterThan(0);
    const others = begins.filter((name) => name !== 'scratch' && !stages.includes(name));
    expect(others).toEqual(others.map(() => expect.stringMatching(/^\$\{BASE\}$/)));
    expect(basesOf(text)).toEqual([expect.stringMatching(/^debian:[a-z]+-slim@sha256:[0-9a-f]{64}$/)]);
  });

  it('start from the same base image', () => {
    expect(new Set(dockerfiles.flatMap((path) => basesOf(read(path)))).size).toBe(1);
  });

  it('consist of signed packages: no file comes from a URL', () => {
    expect(dockerfiles.length).toBeGreaterThan(0);
    const recipes = files.filter((path) => path.startsWith('images/') && !/^images\/agent\/|\.md$/.test(path));
    const fetching = /^\s*ADD\s+(--\S+\s+)*https?:|\b(curl|wget|git clone)\b|--allow-unauthenticated|trusted=yes/m;
    const installing = /^\s*sh \/machine\/packages\.sh .*$/gm;
    expect(recipes.filter((path) => fetching.test(read(path).replace(installing, '')))).toEqual([]);
  });

  it('use Lean and Mathlib of one exact release', () => {
    expect(read('images/lean/Dockerfile')).toMatch(/^ARG LEAN_TOOLCHAIN=leanprover\/lean4:v\d+\.\d+\.\d+$/m);
    const mathlib = read('images/lean/mathlib.sh');
    expect(mathlib).toMatch(/^release=\$\{LEAN_TOOLCHAIN##\*:\}$/m);
    expect([...mathlib.matchAll(/^rev = (.*)$/gm)].map(([, rev]) => rev)).toEqual(['"$release"']);
  });
});

it('row 40: the repository holds no key and no token', () => {
  const secrets = /-----BEGIN [A-Z ]*PRIVATE KEY-----\n|\b(ghp|gho|ghs|npm)_[A-Za-z0-9]{36}\b|\bAKIA[0-9A-Z]{16}\b/;
  const texts = files.filter((path) => !/\.(png|ico|gif)$/.test(path));
  expect(texts.length).toBeGreaterThan(200);
  expect(texts.filter((path) => secrets.test(read(path)))).toEqual([]);
});
