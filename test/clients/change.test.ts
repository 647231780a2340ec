import { chmod, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse as parseToml, stringify } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { planChange } from '../../src/clients/change.ts';
import { CLIENTS, type Client, type Place, type ServerProgram } from '../../src/clients/client.ts';
import { writeClientFile } from '../../src/clients/clientFile.ts';
import { readJson } from '../../src/clients/jsonEntry.ts';

const PROGRAM: ServerProgram = { command: '/usr/bin/node', args: ['/opt/hothouse/cli.js', 'mcp'] };

const client = (id: string): Client => {
  const found = CLIENTS.find((known) => known.id === id);
  if (!found) throw new Error(`no client ${id}`);
  return found;
};

async function newPlace(): Promise<Place> {
  const home = await mkdtemp(join(tmpdir(), 'clients-'));
  return { platform: 'linux', home, env: {}, folder: join(home, 'project') };
}

/** A place where the client's file has this text. */
async function placeWith(id: string, text: string): Promise<Place & { readonly file: string }> {
  const place = await newPlace();
  const file = client(id).file(place);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return { ...place, file };
}

async function planned(id: string, place: Place, program: ServerProgram | null = PROGRAM) {
  const plan = await planChange(client(id), place, program);
  if (!plan.ok) throw new Error(plan.problem);
  return plan.value;
}

async function apply(id: string, place: Place, program: ServerProgram | null = PROGRAM): Promise<string> {
  const { file, after } = await planned(id, place, program);
  await writeClientFile(file, after);
  return readFile(file.path, 'utf8');
}

const problemOf = async (id: string, place: Place, program: ServerProgram | null = PROGRAM) => {
  const plan = await planChange(client(id), place, program);
  return plan.ok ? null : plan.problem;
};

const read = (id: string, text: string) => (client(id).format === 'toml' ? parseToml(text) : readJson(text));

describe('the files of clients', () => {
  const at = (platform: NodeJS.Platform, env = {}) =>
    Object.fromEntries(
      CLIENTS.map(({ id, file }) => [id, file({ platform, env, home: '/home/me', folder: '/project' })]),
    );

  it('are where each client reads them on Linux', () => {
    expect(at('linux')).toEqual({
      'claude-desktop': '/home/me/.config/Claude/claude_desktop_config.json',
      'claude-code': '/home/me/.claude.json',
      codex: '/home/me/.codex/config.toml',
      cursor: '/home/me/.cursor/mcp.json',
      windsurf: '/home/me/.codeium/windsurf/mcp_config.json',
      zed: '/home/me/.config/zed/settings.json',
      '.vscode/mcp.json': '/project/.vscode/mcp.json',
      '.mcp.json': '/project/.mcp.json',
    });
  });

  it('are where each client reads them on macOS and Windows', () => {
    expect(at('darwin')).toMatchObject({
      'claude-desktop': '/home/me/Library/Application Support/Claude/claude_desktop_config.json',
      zed: '/home/me/.config/zed/settings.json',
    });
    expect(at('win32', { APPDATA: '/data' })).toMatchObject({
      'claude-desktop': '/data/Claude/claude_desktop_config.json',
      zed: '/data/Zed/settings.json',
    });
  });

  it('follow the variables that move them, but no empty ones', () => {
    const moved = at('linux', { CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', XDG_CONFIG_HOME: '/g' });
    expect(moved).toMatchObject({
      'claude-code': '/c/.claude.json',
      codex: '/x/config.toml',
      zed: '/g/zed/settings.json',
    });
    expect(at('linux', { CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', XDG_CONFIG_HOME: '' })).toEqual(at('linux'));
  });
});

describe.each(CLIENTS.map(({ id }) => id))('%s', (id) => {
  const { servers, format, isShared } = client(id);
  const own = (text: string) => (read(id, text) as Record<string, Record<string, unknown>>)[servers]?.hothouse;
  const foreign =
    format === 'toml'
      ? `# mine\nmodel = "x"\n\n[${servers}.other] # keep\ncommand = "a"\n\n# the end\n[[list]]\nname = "b"\n`
      : `{\n  // mine\n  "model": "x",\n  "${servers}": {\n    "other": { "command": "a" }, // keep\n  },\n}\n`;

  it('gets an entry in an empty file', async () => {
    const text = await apply(id, await placeWith(id, ''));
    expect(own(text)).toMatchObject(isShared ? { command: 'hothouse', args: ['mcp'] } : { ...PROGRAM });
  });

  it('keeps comments and the entries of others, with a copy of the old file', async () => {
    const place = await placeWith(id, foreign);
    const text = await apply(id, place);
    expect(own(text)).toBeDefined();
    for (const kept of foreign.split('\n').filter((line) => /mine|keep|model|list|end/.test(line))) {
      expect(text).toContain(kept.trim());
    }
    const [backup = ''] = (await readdir(dirname(place.file))).filter((name) => name.endsWith('.backup'));
    expect(await readFile(join(dirname(place.file), backup), 'utf8')).toBe(foreign);
    expect((await readdir(dirname(place.file))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('changes nothing the second time', async () => {
    const place = await placeWith(id, foreign);
    const text = await apply(id, place);
    expect(await planned(id, place)).toMatchObject({ diff: '', after: text });
  });

  it('loses the entry again, and nothing else', async () => {
    const place = await placeWith(id, foreign);
    await apply(id, place);
    expect(await apply(id, place, null)).toBe(foreign);
    expect(await planned(id, place, null)).toMatchObject({ diff: '' });
  });

  it('keeps what the user has added to the entry', async () => {
    const mine =
      format === 'toml'
        ? `[${servers}.hothouse]\ncommand = "old"\nargs = ["mcp"]\nenabled = false\n`
        : `{"${servers}":{"hothouse":{"command":"old","args":["mcp"],"disabled":true}}}`;
    const text = await apply(id, await placeWith(id, mine));
    expect(own(text)).toMatchObject(format === 'toml' ? { enabled: false } : { disabled: true });
    expect(own(text)).not.toMatchObject({ command: 'old' });
  });

  it.each([
    ['a program', { command: 'water-plants', args: ['--all'] }],
    ['a program without arguments', { command: 'water-plants' }],
    ['an address', { url: 'https://plants.example/mcp' }],
  ])('refuses to replace or remove another server of the same name, %s', async (_, other) => {
    const mine =
      format === 'toml'
        ? stringify({ [servers]: { hothouse: other } })
        : JSON.stringify({ [servers]: { hothouse: other } });
    const place = await placeWith(id, mine);
    const has = `${place.file} has another server "hothouse" in "${servers}", which Hothouse did not add.`;
    expect(await problemOf(id, place)).toBe(`${has} Give it another name, and try again.`);
    expect(await problemOf(id, place, null)).toBe(`${has} It stays.`);
  });

  it('keeps line ends and a byte order mark', async () => {
    const text = await apply(id, await placeWith(id, `\ufeff${foreign.replaceAll('\n', '\r\n')}`));
    expect(text.startsWith('\ufeff')).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('refuses an invalid file with its place, and leaves it alone', async () => {
    const broken = format === 'toml' ? 'a = [\n' : '{\n  "a": \n';
    const place = await placeWith(id, broken);
    expect(await problemOf(id, place)).toMatch(
      /is not valid (JSON \(line \d+, column \d+: \w+\)|TOML \(.+\))\. Correct it, and try again\.$/,
    );
    expect(await readFile(place.file, 'utf8')).toBe(broken);
  });

  it('refuses a file with servers of another kind', async () => {
    const place = await placeWith(id, format === 'toml' ? `${servers} = 1\n` : `{"${servers}": []}`);
    expect(await problemOf(id, place)).toMatch(/has something else than an? (object|table) in/);
  });
});

describe('a change', () => {
  it('is a diff of its own lines, without secrets of others', async () => {
    const { diff } = await planned(
      'codex',
      await placeWith('codex', '[mcp_servers.other]\nenv = { TOKEN = "secret" }\n'),
    );
    expect(diff).toContain('+[mcp_servers.hothouse]');
    expect(diff).not.toContain('secret');
  });

  it.each([
    [
      'first',
      '{ // a\n  "mcpServers": {\n    "hothouse": {}, // b\n    "x": {} // c\n  }\n}',
      '// b\n    "x": {} // c',
    ],
    ['in the middle', '{"mcpServers": {\n  "x": {},\n  "hothouse": {},\r\n  "y": {}\n}}', '\n  "x": {},\n  "y": {}\n'],
    ['last', '{"mcpServers": {\n  "x": {}, // d,\n  "hothouse": {}\n}}', '\n  "x": {} // d,\n}}'],
    ['last with a comma', '{"mcpServers": {\n  "x": {},\n  "hothouse": {},\n}}', '{\n  "x": {},\n}}'],
    ['alone', '{"mcpServers": {\n  "hothouse": {} /* e */\n}, "z": 1}', '"z": 1'],
    ['on one line', '{"mcpServers":{"x":{},"hothouse":{},"y":{}},"z":1}', '{"x":{},"y":{}}'],
  ])('removes an entry that is %s, and keeps the text around it', async (_, text, kept) => {
    const after = await apply('cursor', await placeWith('cursor', text), null);
    expect(after).toContain(kept);
    expect(after).not.toContain('hothouse');
    for (const comment of text.match(/\/\/ \w|\/\* \w \*\//g) ?? []) expect(after).toContain(comment);
  });

  it('of a removal shows no lines of other servers', async () => {
    const text = '{\n  "mcpServers": {\n    "other": { "env": { "TOKEN": "secret" } }\n  }\n}\n';
    const place = await placeWith('cursor', text);
    await apply('cursor', place);
    expect((await planned('cursor', place, null)).diff).not.toContain('secret');
  });

  it('makes the folder of a shared file, and no other', async () => {
    const place = await newPlace();
    await apply('.vscode/mcp.json', place);
    expect(await problemOf('cursor', place)).toBe(
      `The folder ${join(place.home, '.cursor')} does not exist. Start the client once, and try again.`,
    );
  });

  it('gives a new file of a user to that user alone', async () => {
    const place = await newPlace();
    await apply('claude-code', place);
    expect((await stat(client('claude-code').file(place))).mode & 0o777).toBe(0o600);
  });

  it('follows a symbolic link, and keeps link and mode', async () => {
    const place = await newPlace();
    const target = join(place.home, 'dotfiles.json');
    await writeFile(target, '{}');
    await chmod(target, 0o640);
    await symlink(target, join(place.home, '.claude.json'));
    await apply('claude-code', place);
    expect(await readFile(target, 'utf8')).toContain('hothouse');
    expect((await stat(target)).mode & 0o777).toBe(0o640);
  });

  it.each([
    [
      'a link to nothing',
      (file: string) => symlink('/nowhere/at/all', file),
      /is a symbolic link to a file that does not exist/,
    ],
    ['a folder', (file: string) => mkdir(file), /is not a file\. Move it away/],
    ['a read-only file', (file: string) => writeFile(file, '{}', { mode: 0o444 }), /is read-only\. Make it writable/],
    ['a file that is no text', (file: string) => writeFile(file, Buffer.from([0x7b, 0xff])), /it is not UTF-8 text/],
    ['a list', (file: string) => writeFile(file, '[]'), /has no object at its top/],
    [
      'an object that is there twice',
      (file: string) => writeFile(file, '{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}'),
      /in a form that Hothouse does not edit\. Set "hothouse"/,
    ],
  ])('is refused for %s', async (_, make, problem) => {
    const place = await newPlace();
    await make(join(place.home, '.claude.json'));
    expect(await problemOf('claude-code', place)).toMatch(problem);
  });

  it.each([
    'mcp_servers = { other = { command = "a" } }\n',
    '[mcp_servers]\nhothouse = { command = "a", args = ["mcp"] }\n',
    'mcp_servers.hothouse.command = "a"\nmcp_servers.hothouse.args = ["mcp"]\n',
    'text = """\n[mcp_servers.hothouse]\n"""\n[mcp_servers.hothouse]\ncommand = "a"\nargs = ["mcp"]\n',
  ])('never loses anything of the TOML %j', async (text) => {
    const place = await placeWith('codex', text);
    const plan = await planChange(client('codex'), place, PROGRAM);
    if (plan.ok) expect(parseToml(plan.value.after)).toMatchObject({ mcp_servers: { hothouse: { ...PROGRAM } } });
    else expect(plan.problem).toMatch(/in a form that Hothouse does not edit\. Set "hothouse" in "mcp_servers" to \{/);
  });

  it('is not written over a change of another program', async () => {
    const place = await placeWith('cursor', '{}');
    const { file, after } = await planned('cursor', place);
    await writeFile(place.file, '{"new": 1}');
    await expect(writeClientFile(file, after)).rejects.toThrow(/has changed in the meantime; try again$/);
    expect(await readFile(place.file, 'utf8')).toBe('{"new": 1}');
    expect(await readdir(dirname(place.file))).toEqual(['mcp.json']);
  });

  it('is written once by two at the same time', async () => {
    const place = await placeWith('cursor', '{}');
    const plans = await Promise.all([planned('cursor', place), planned('cursor', place)]);
    await Promise.allSettled(plans.map(({ file, after }) => writeClientFile(file, after)));
    expect(read('cursor', await readFile(place.file, 'utf8'))).toMatchObject({
      mcpServers: { hothouse: { ...PROGRAM } },
    });
  });
});
