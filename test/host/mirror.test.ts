import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { type MirrorFile, type MirrorIndex, mirrorArchive, readMirrorIndex } from '../../src/host/mirror.ts';

/** A volume that unpacks archives as Docker does: what has the name of an entry goes, unless both are folders. */
class Volume {
  /** Path → content, or null for a folder; links to files are the files. */
  readonly nodes = new Map<string, { readonly content: string } | null>();
  /** What each visible file had at every moment. */
  readonly seen = new Set<string>();

  async unpack(archive: NodeJS.ReadableStream): Promise<void> {
    const entries = extract();
    entries.on('entry', ({ name, type, linkname }, stream, next) => {
      let content = '';
      stream.on('data', (chunk) => {
        content += chunk;
      });
      stream.on('end', () => {
        const path = name.replace(/\/$/, '');
        const isFolder = type === 'directory';
        if (!(isFolder && this.nodes.get(path) === null)) this.#remove(path);
        if (isFolder) this.nodes.set(path, null);
        else if (type === 'link') this.nodes.set(path, this.#file(linkname ?? ''));
        else if (type === 'file') this.nodes.set(path, { content });
        if (path.startsWith('files/') && !isFolder && type !== 'symlink') {
          this.seen.add(`${path} ${this.#file(path).content}`);
          const parent = path.slice(0, path.lastIndexOf('/'));
          if (this.nodes.get(parent) !== null) throw new Error(`${path} has no folder`);
        }
        next();
      });
    });
    await new Promise((resolve, reject) => {
      entries.on('finish', resolve).on('error', reject);
      archive.on('error', reject);
      archive.pipe(entries);
    });
  }

  files(): Record<string, string> {
    const found = [...this.nodes].flatMap(([path, node]) =>
      node && path.startsWith('files/') ? [[path.slice(6), node.content]] : [],
    );
    return Object.fromEntries(found.sort());
  }

  #file(path: string): { readonly content: string } {
    const node = this.nodes.get(path);
    if (!node) throw new Error(`${path} is no file to link to`);
    return node;
  }

  #remove(path: string): void {
    for (const name of [...this.nodes.keys()])
      if (name === path || name.startsWith(`${path}/`)) this.nodes.delete(name);
  }
}

const indexOf = (files: Record<string, string>): MirrorIndex => new Map(Object.entries(files));

function change(before: Record<string, string> | null, after: Record<string, string>) {
  const put = Object.entries(after)
    .filter(([path, content]) => before?.[path] !== content)
    .map(
      ([path, content]): MirrorFile => ({
        path,
        size: Buffer.byteLength(content),
        modifiedMs: 0,
        content: async function* () {
          yield Buffer.from(`${content} and what was appended meanwhile`);
        },
      }),
    );
  return mirrorArchive({ before: before && indexOf(before), after: indexOf(after), put, onPut: () => {} });
}

describe('a mirror', () => {
  it('has exactly the files of the latest change, whatever came before', async () => {
    let state = 7;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const paths = ['a', 'b', 'd/a', 'd/b', 'd/e/a', 'd/e/b', 'f/g/h', 'f/i', 'j/k'];
    const volume = new Volume();
    let before: Record<string, string> | null = null;
    for (let turn = 0; turn < 300; turn += 1) {
      const after: Record<string, string> = {};
      for (const path of paths) if (random(3) > 0) after[path] = `${path} ${random(3)}`;
      // A file takes the place of a folder, and back.
      if (random(4) === 0) {
        for (const path of paths) if (path.startsWith('d/')) delete after[path];
        after.d = 'a file';
      }
      const files = random(10) === 0 ? null : before;
      await volume.unpack(change(files, after));
      expect(volume.files(), `turn ${turn}`).toEqual(Object.fromEntries(Object.entries(after).sort()));
      expect([...volume.nodes.keys()].filter((path) => path.startsWith('.new/'))).toEqual([]);
      before = after;
    }
  });

  it('shows each file only with all of its content', async () => {
    const volume = new Volume();
    await volume.unpack(change(null, { 'a/b': 'whole' }));
    await volume.unpack(change({ 'a/b': 'whole' }, { 'a/b': 'another', c: 'more' }));
    expect([...volume.seen]).toEqual(['files/a/b whole', 'files/a/b another', 'files/c more']);
  });

  it('knows its files from its volume, unless its last change was not completed', async () => {
    const archive = change(null, { 'ä/b': '1' });
    expect(await readMirrorIndex(archive)).toEqual(indexOf({ 'ä/b': '1' }));
    const broken = mirrorArchive({
      before: indexOf({ a: '1' }),
      after: indexOf({ a: '2' }),
      put: [{ path: 'a', size: 10, modifiedMs: 0, content: async function* () {} }],
      onPut: () => {},
    });
    const volume = new Volume();
    await expect(volume.unpack(broken)).rejects.toThrow('a has become shorter while it was read');
    expect(volume.nodes.get('.index')?.content ?? '').toBe('');
  });
});
