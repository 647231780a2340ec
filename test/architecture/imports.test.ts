import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const source = path.resolve(import.meta.dirname, '../../src');

/** Which rooms and packages a room's files may import; Node's own modules are free for all. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  protocol: ['zod'],
  host: ['base', 'tar-stream'],
  'host/docker': ['base', 'host', 'dockerode', 'semver', 'tar-fs', 'tar-stream'],
  'host/local': ['base', 'host', 'tar-fs', 'tar-stream', 'zod'],
  sandbox: ['protocol', 'host', 'base'],
  pool: ['sandbox', 'base'],
  languages: ['sandbox', 'protocol', 'base', 'zod'],
  engine: ['languages', 'sandbox', 'pool', 'host', 'base', 'zod'],
  mcp: ['engine', 'languages', 'base', 'zod', '@modelcontextprotocol/server', '@modelcontextprotocol/node'],
  config: ['engine', 'languages', 'base', 'yaml', 'smol-toml', 'zod'],
  local: ['engine', 'languages', 'host', 'host/docker', 'host/local', 'sandbox', 'base', 'zod'],
  clients: ['base', 'smol-toml', 'jsonc-parser', 'diff'],
  cli: ['clients', 'local', 'engine', 'languages', 'mcp', 'config', 'host', 'base', 'zod', 'commander', 'tar-stream'],
  vscode: ['clients', 'local', 'engine', 'languages', 'mcp', 'config', 'base', 'vscode', 'ignore'],
};

function files(): string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
}

function roomOf(file: string): string {
  const folder = path.dirname(file).split(path.sep).join('/');
  const host = /^host\/(docker|local)/.exec(folder);
  return host ? host[0] : (folder.split('/')[0] ?? '');
}

function importsOf(file: string): string[] {
  const text = readFileSync(path.join(source, file), 'utf8');
  // Whole statements from the start of a line, and calls: a string may contain the same text.
  const found = [...text.matchAll(/^(?:import|export)\s(?:[^'"`;]*\bfrom\s)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm)];
  return found.map(([, statement, call]) => statement ?? call ?? '');
}

function targetOf(file: string, target: string): string {
  if (!target.startsWith('.'))
    return target
      .split('/')
      .slice(0, target.startsWith('@') ? 2 : 1)
      .join('/');
  return roomOf(path.relative(source, path.resolve(source, path.dirname(file), target)));
}

const imports = files().flatMap((file) =>
  importsOf(file).map((target) => ({ file, room: roomOf(file), target: targetOf(file, target) })),
);

describe('the import lines', () => {
  it('are found', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports).toContainEqual(expect.objectContaining({ room: 'host/docker', target: 'dockerode' }));
  });

  it('stay within what each folder may import', () => {
    const wrong = imports.filter(
      ({ room, target }) =>
        room !== target && !target.startsWith('node:') && !(MAY_IMPORT[room] ?? []).includes(target),
    );
    expect(wrong).toEqual([]);
  });

  it('of the engine never reach settings, environment variables or files', () => {
    const reading = files()
      .filter((file) => roomOf(file) === 'engine')
      .filter((file) => /process\.env|node:fs|'yaml'/.test(readFileSync(path.join(source, file), 'utf8')));
    expect(reading).toEqual([]);
  });
});
