import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/base/deferred.ts';
import { FILE_CHUNK_BYTES } from '../../src/protocol/fileMessages.ts';
import { SandboxFiles } from '../../src/sandbox/files/sandboxFiles.ts';
import type { ChannelEnd, ChannelListener, Sandbox } from '../../src/sandbox/sandbox.ts';
import { ManualClock } from '../host/manualClock.ts';

/** A sandbox whose `files` process sends what a test says. */
class Puppet {
  readonly clock = new ManualClock();
  readonly signals: string[] = [];
  /** It has no room for requests. */
  isDeaf = false;
  readonly files: SandboxFiles;
  #listener: ChannelListener | undefined;

  constructor() {
    const { promise: ended, resolve } = deferred<ChannelEnd>();
    const start = (_: unknown, listener: ChannelListener) => {
      this.#listener = listener;
      return {
        run: () => {},
        write: async () => void (this.isDeaf && (await ended)),
        closeInput: () => {},
        signal: async (signal: string) => {
          this.signals.push(signal);
          resolve({ kind: 'lost', loss: { outOfMemory: false, reason: 'it was killed' } });
        },
        ended,
      };
    };
    this.files = new SandboxFiles({ start } as unknown as Sandbox, { clock: this.clock });
  }

  send(head: unknown, body: Buffer = Buffer.alloc(0)): void {
    const text = Buffer.from(typeof head === 'string' ? head : JSON.stringify(head));
    const header = Buffer.alloc(8);
    header.writeUInt32BE(text.length, 0);
    header.writeUInt32BE(body.length, 4);
    this.raw(Buffer.concat([header, text, body]));
  }

  raw(bytes: Buffer): void {
    this.#listener?.onStdout(bytes);
  }
}

const ENTRY = { path: 'a', type: 'file', size: 1, modifiedMs: 0 };
const LIST = { op: 'answer', entries: [ENTRY], next: null, skipped: 0, files: 1, folders: 0, others: 0, bytes: 1 };

describe('an answer about files', () => {
  it('is decoded at any split', async () => {
    const puppet = new Puppet();
    const listing = puppet.files.list('');
    const pieces: Buffer[] = [];
    puppet.raw = (bytes) => pieces.push(bytes);
    puppet.send(LIST);
    const { raw } = Puppet.prototype;
    for (const byte of Buffer.concat(pieces)) raw.call(puppet, Buffer.from([byte]));
    expect((await listing).entries).toEqual([ENTRY]);
  });

  it.each<[string, unknown]>([
    ['a size that is no number', { ...LIST, entries: [{ ...ENTRY, size: 'large' }] }],
    ['a negative size', { ...LIST, entries: [{ ...ENTRY, size: -1 }] }],
    ['a size beyond all numbers', { ...LIST, bytes: 2 ** 60 }],
    ['a time that no date has', { ...LIST, entries: [{ ...ENTRY, modifiedMs: 1e20 }] }],
    ['an unknown type', { ...LIST, entries: [{ ...ENTRY, type: 'device' }] }],
    ['a path that is too long', { ...LIST, entries: [{ ...ENTRY, path: 'x'.repeat(5000) }] }],
    ['more entries than a page has', { ...LIST, entries: Array(1001).fill(ENTRY) }],
    ['another shape', { op: 'answer' }],
  ])('with %s is rejected', async (_, answer) => {
    const puppet = new Puppet();
    const listing = puppet.files.list('');
    puppet.send(answer);
    await expect(listing).rejects.toMatchObject({ kind: 'failed' });
  });

  it.each<[string, (puppet: Puppet) => void]>([
    ['is no JSON', (puppet) => puppet.send('{')],
    ['is of an unknown kind', (puppet) => puppet.send({ op: 'dance' })],
    ['has an unknown error', (puppet) => puppet.send({ op: 'error', kind: 'shrug', reason: '' })],
    ['announces too much', (puppet) => puppet.raw(Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]))],
    ['has too large a body', (puppet) => puppet.send({ op: 'data' }, Buffer.alloc(FILE_CHUNK_BYTES + 1))],
    [
      'never ends',
      (puppet) => puppet.raw(Buffer.concat([Buffer.from([0, 16, 0, 0, 0, 0, 0, 0]), Buffer.alloc(4 << 20)])),
    ],
  ])('that %s ends its process', async (_, send) => {
    const puppet = new Puppet();
    const listing = puppet.files.list('');
    send(puppet);
    await expect(listing).rejects.toMatchObject({ kind: 'sandbox_lost' });
    expect(puppet.signals).toEqual(['SIGKILL']);
  });

  it.each([false, true])('that never arrives ends its process, whether that reads or not', async (isDeaf) => {
    const puppet = new Puppet();
    puppet.isDeaf = isDeaf;
    const listing = expect(puppet.files.list('')).rejects.toMatchObject({ kind: 'sandbox_lost' });
    await new Promise((resolve) => setImmediate(resolve));
    puppet.clock.advance(30_000);
    await listing;
    expect(puppet.signals).toEqual(['SIGKILL']);
  });

  const opened = { op: 'answer', ...ENTRY, links: 1, mediaType: 'text/plain' };

  it.each<[string, number, number, string]>([
    ['more than was announced', 10, 11, 'failed'],
    ['less than was announced', 10, 9, 'changed'],
  ])('whose content is %s ends with an error', async (_, length, sent, kind) => {
    const puppet = new Puppet();
    const getting = puppet.files.get('a');
    puppet.send({ ...opened, length });
    const { content } = await getting;
    puppet.send({ op: 'data' }, Buffer.alloc(sent));
    puppet.send({ op: 'end', missing: 0 });
    await expect(content.toArray()).rejects.toMatchObject({ kind });
  });

  it('with content that was not requested ends its process', async () => {
    const puppet = new Puppet();
    const getting = puppet.files.get('a');
    puppet.send({ ...opened, length: 1 << 30 });
    const { content } = await getting;
    for (let chunk = 0; chunk < 100; chunk += 1) puppet.send({ op: 'data' }, Buffer.alloc(FILE_CHUNK_BYTES));
    expect(puppet.signals).toEqual(['SIGKILL']);
    await expect(content.toArray()).rejects.toMatchObject({ kind: 'sandbox_lost' });
  });
});
