import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const plugin = join(root, 'plugin');
const json = async (...path: string[]) => JSON.parse(await readFile(join(...path), 'utf8'));
const skillNames = () => readdir(join(plugin, 'skills'));
const skill = (name: string) => readFile(join(plugin, 'skills', name, 'SKILL.md'), 'utf8');

describe('the Agent Plugin', () => {
  it('has the name, version and license of the package', async () => {
    const { name, version, license } = await json(root, 'package.json');
    expect(await json(plugin, 'plugin.json')).toMatchObject({ name, version, license });
  });

  it('has a manifest for Claude Code that says the same and names the server', async () => {
    const { $schema, ...manifest } = await json(plugin, 'plugin.json');
    expect(await json(plugin, '.claude-plugin', 'plugin.json')).toEqual({ ...manifest, mcpServers: './mcp.json' });
  });

  it('is the only plugin of its own marketplace', async () => {
    const { name, description } = await json(plugin, 'plugin.json');
    const { plugins } = await json(plugin, '.claude-plugin', 'marketplace.json');
    expect(plugins).toEqual([{ name, description, source: './' }]);
  });

  it('starts the server by a command of the package', async () => {
    const { bin } = await json(root, 'package.json');
    const { mcpServers } = await json(plugin, 'mcp.json');
    expect(Object.keys(bin)).toContain(mcpServers.hothouse.command);
    expect(mcpServers.hothouse).toEqual({ type: 'stdio', command: 'hothouse', args: ['mcp'] });
  });

  it('has skills with the name of their folder and a description that fits', async () => {
    for (const name of await skillNames()) {
      const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(await skill(name)) ?? [];
      const { name: own, description } = parse(front);
      expect(own).toBe(name);
      expect(description.length).toBeGreaterThan(40);
      expect(description.length).toBeLessThanOrEqual(1024);
    }
  });

  it('gives VS Code the same skills', async () => {
    const { contributes } = await json(root, 'package.json');
    const paths = (await skillNames()).map((name) => ({ path: `./plugin/skills/${name}/SKILL.md` }));
    expect(contributes.chatSkills).toEqual(expect.arrayContaining(paths));
    expect(contributes.chatSkills).toHaveLength(paths.length);
  });

  it('names only tools that the server has', async () => {
    const tools = await readFile(join(root, 'src/mcp/README.md'), 'utf8');
    for (const name of await skillNames()) {
      const named = [
        ...(await skill(name)).matchAll(
          /`([a-z]+_(?:code|session|file|files|packages|environment|environments|check|goals|try))`/g,
        ),
      ];
      expect(named.length).toBeGreaterThan(2);
      for (const [, tool] of named) expect(tools).toContain(`| \`${tool} {`);
    }
  });
});
