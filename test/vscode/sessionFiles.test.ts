import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkspaceFolder } from 'vscode';
import { EngineHandle } from '../../src/vscode/engineHandle.ts';
import { type FileNode, FileTree } from '../../src/vscode/sessionFiles/fileTree.ts';
import { saveToWorkspace } from '../../src/vscode/sessionFiles/saveToWorkspace.ts';
import { EngineBench } from '../engine/engineBench.ts';
import { Uri, user } from './fakeVscode.ts';

vi.mock('vscode', () => import('./fakeVscode.ts'));

let bench: EngineBench;
let handle: EngineHandle;
let sessionId: string;
let root: string;
let folder: WorkspaceFolder;

beforeEach(async () => {
  bench = new EngineBench({ pool: { size: 1 } });
  handle = new EngineHandle(async () => bench.engine);
  await handle.get();
  sessionId = await bench.open();
  root = mkdtempSync(join(tmpdir(), 'hothouse-save-'));
  folder = { uri: Uri.file(root), name: 'shop', index: 0 } as unknown as WorkspaceFolder;
  Object.assign(user, {
    seen: [],
    pick: (items: readonly unknown[]) => items,
    press: (_: string, buttons: readonly string[]) => buttons[0],
  });
});
afterEach(async () => {
  await handle.dispose();
  rmSync(root, { recursive: true });
});

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) await bench.engine.files(sessionId).put(path, `content of ${path}`);
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const whole = (): FileNode => ({ sessionId, path: '', type: 'session', size: 0 });
const save = (node: FileNode) => saveToWorkspace(bench.engine, node, folder);

describe('the view of session files', () => {
  const newTree = () => new FileTree(handle, ({ id }) => `label of ${id}`);

  it('lists sessions, and in each the folders before the files', async () => {
    await put('b.txt', 'z/inner.txt', 'a.txt');
    const tree = newTree();
    const [session] = await tree.getChildren();
    expect(session).toEqual(whole());
    const nodes = await tree.getChildren(session);
    expect(nodes.map(({ path, type }) => `${type} ${path}`)).toEqual(['folder z', 'file a.txt', 'file b.txt']);
    const [inner] = await tree.getChildren(nodes[0]);
    expect(inner).toEqual({ sessionId, path: 'z/inner.txt', type: 'file', size: 22 });
  });

  it('opens a file by its address, and neither a folder nor what is no file', () => {
    const tree = newTree();
    const file = tree.getTreeItem({ sessionId, path: 'z/inner.txt', type: 'file', size: 2048 });
    const uri = { scheme: 'hothouse', authority: 'sessions', path: `/${sessionId}/files/z/inner.txt` };
    expect(file).toMatchObject({ label: 'inner.txt', contextValue: 'files-file', command: { arguments: [uri] } });
    expect(tree.getTreeItem({ sessionId, path: 'z', type: 'folder', size: 0 })).not.toHaveProperty('command');
    expect(tree.getTreeItem({ sessionId, path: 'l', type: 'link', size: 0 })).toMatchObject({
      contextValue: 'files-link',
    });
    expect(tree.getTreeItem({ sessionId, path: 'l', type: 'link', size: 0 })).not.toHaveProperty('command');
  });

  it('shows a hostile name in one line', () => {
    const item = newTree().getTreeItem({ sessionId, path: 'a\nb\u001b[31m', type: 'file', size: 0 });
    expect(item.label).not.toMatch(/[\n\u001b]/);
  });

  it('reads again after a run, and not while nothing has changed', async () => {
    const tree = newTree();
    let changes = 0;
    tree.onDidChangeTreeData(() => {
      changes += 1;
    });
    tree.refreshAfterRuns();
    tree.refreshAfterRuns();
    expect(changes).toBe(1);
    await bench.run('print 1', { sessionId });
    tree.refreshAfterRuns();
    expect(changes).toBe(2);
  });

  it('is empty without a session', async () => {
    await bench.engine.closeSession(sessionId);
    expect(await newTree().getChildren()).toEqual([]);
    expect(await newTree().getChildren(whole())).toEqual([]);
  });
});

describe('Save to Workspace', () => {
  it('saves what is picked of a session, at the same paths', async () => {
    await put('a.txt', 'data/b.txt', 'data/c.txt');
    user.pick = (items) => items.filter(({ label }) => label !== 'a.txt');
    await save(whole());
    expect(readdirSync(root)).toEqual(['data']);
    expect(read('data/b.txt')).toBe('content of data/b.txt');
    expect(user.seen).toEqual([expect.stringMatching(/^information: Saved 2 files to /)]);
  });

  it('proposes those that the workspace does not have', async () => {
    await put('new.txt', 'old.txt');
    writeFileSync(join(root, 'old.txt'), 'mine');
    const proposed: unknown[] = [];
    user.pick = (items) => {
      proposed.push(...items.map(({ label, picked, description }) => [label, picked, description]));
      return undefined;
    };
    await save(whole());
    expect(proposed).toEqual([
      ['new.txt', true, '18 bytes'],
      ['old.txt', false, '18 bytes, exists in the workspace'],
    ]);
    expect(read('old.txt')).toBe('mine');
  });

  it('replaces a file only after a question', async () => {
    await put('old.txt');
    writeFileSync(join(root, 'old.txt'), 'mine');
    const file: FileNode = { sessionId, path: 'old.txt', type: 'file', size: 18 };
    user.press = () => undefined;
    await save(file);
    expect(read('old.txt')).toBe('mine');
    user.press = (_, buttons) => buttons[0];
    await save(file);
    expect(read('old.txt')).toBe('content of old.txt');
    expect(user.seen.filter((text) => text.startsWith('warning'))).toEqual([
      'warning: Replace 1 file of shop?',
      'warning: Replace 1 file of shop?',
    ]);
  });

  it('saves a folder without a list, and says so when there is nothing', async () => {
    await put('data/b.txt');
    user.pick = () => {
      throw new Error('nothing is to be picked');
    };
    await save({ sessionId, path: 'data', type: 'folder', size: 0 });
    expect(read('data/b.txt')).toBe('content of data/b.txt');
    await bench.engine.files(sessionId).makeFolder('empty');
    await save({ sessionId, path: 'empty', type: 'folder', size: 0 });
    expect(user.seen.at(-1)).toBe('information: There are no files to save.');
  });

  it('leaves out names that lead elsewhere, links of the workspace, and folders that programs take settings from', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'hothouse-outside-'));
    symlinkSync(outside, join(root, 'link'));
    await put('link/a.txt', '.git/hooks/pre-commit', 'fine.txt', 'back\\slash');
    await save(whole());
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(join(root, '.git'))).toBe(false);
    expect(read('fine.txt')).toBe('content of fine.txt');
    expect(user.seen).toEqual([
      expect.stringMatching(/^error: Not saved: .*\.git\/hooks\/pre-commit: programs here take settings from it/),
      expect.stringMatching(/^information: Saved 1 file to /),
    ]);
    rmSync(outside, { recursive: true });
  });

  it('shows why nothing can be read', async () => {
    mkdirSync(join(root, 'a.txt'));
    await put('a.txt');
    await save({ sessionId, path: 'a.txt', type: 'file', size: 18 });
    expect(user.seen.at(-1)).toContain('is no regular file');
    await bench.engine.closeSession(sessionId);
    await save(whole());
    expect(user.seen.at(-1)).toMatch(/^error: .*was closed/);
  });
});
