import type { FileErrorKind, FileRequest } from '../../src/protocol/fileMessages.ts';
import { FILE_CHUNK_BYTES } from '../../src/protocol/fileMessages.ts';
import type { FakeFiles, FakeNode } from './fakeFiles.ts';
import type { FakeProcess, FakeSink } from './fakeProcess.ts';

const HEADER_BYTES = 8;
const LINKS = 1;
/** What it answers; nothing enforces it. */
const ROOM_BYTES = 1 << 30;

class Refused extends Error {
  constructor(
    readonly kind: FileErrorKind,
    reason: string,
  ) {
    super(reason);
  }
}

type Request<Op extends FileRequest['op']> = FileRequest & { readonly op: Op };
type Control = { readonly op: string; readonly bytes?: number };
/** Takes the parts that follow a request; true once it has all. */
type Follower = (part: Control, body: Buffer) => boolean;

/** A `files` process of a fake sandbox: files and folders in memory, no links, modes and limits. */
export class FakeFilesProcess implements FakeProcess {
  readonly #files: FakeFiles;
  readonly #sink: FakeSink;
  #unread = Buffer.alloc(0);
  #follower: Follower | null = null;

  constructor(files: FakeFiles, sink: FakeSink) {
    this.#files = files;
    this.#sink = sink;
  }

  signal(): void {
    this.#sink.exit({ code: null, signal: 9 });
  }

  input(bytes: Buffer | null): void {
    if (!bytes) {
      setImmediate(() => this.#sink.exit({ code: 0, signal: null }));
      return;
    }
    this.#unread = Buffer.concat([this.#unread, bytes]);
    setImmediate(() => this.#take());
  }

  #take(): void {
    while (this.#unread.length >= HEADER_BYTES) {
      const [head, body] = [this.#unread.readUInt32BE(0), this.#unread.readUInt32BE(4)];
      const end = HEADER_BYTES + head + body;
      if (this.#unread.length < end) return;
      const bytes = this.#unread.subarray(HEADER_BYTES, end);
      this.#unread = this.#unread.subarray(end);
      this.#handle(JSON.parse(bytes.toString('utf8', 0, head)), bytes.subarray(head));
    }
  }

  #handle(message: FileRequest | Control, body: Buffer): void {
    if (this.#follower) {
      if (this.#follower(message as Control, body)) this.#follower = null;
      return;
    }
    if (!('path' in message)) return;
    try {
      this.#serve(message);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#send({ op: 'error', kind: error.kind, reason: error.message });
    }
  }

  #serve(request: FileRequest): void {
    const path = pathOf(request);
    if (request.op === 'stat') this.#stat(path);
    else if (request.op === 'list') this.#list(path, request);
    else if (request.op === 'make') this.#answer({ made: this.#makeFolders(path) });
    else if (request.op === 'remove') this.#remove(path, request);
    else if (request.op === 'get') this.#get(path, request);
    else if (request.op === 'put') this.#put(path, request);
    else if (request.op === 'room') this.#answer({ bytes: ROOM_BYTES });
    else if (request.op === 'changes') this.#changes(request);
    else this.#answer({ mark: String(this.#files.tick()) });
  }

  #stat(path: string): void {
    const node = this.#existing(path);
    const contents = node.content === null ? { ...countsOf(this.#files.below(path)), skipped: 0 } : null;
    const mediaType = node.content === null ? null : mediaTypeOf(path);
    this.#answer({ ...factsOf(node), links: LINKS, mediaType, contents });
  }

  #list(path: string, { path: prefix, recursive, limit, after }: Request<'list'>): void {
    this.#folder(path);
    const all = this.#files.below(path).filter(([name]) => recursive || !name.includes('/'));
    const paths = all.map(([name]) => (prefix === '' ? name : `${prefix}/${name}`));
    const start = after === '' ? 0 : paths.indexOf(after) + 1;
    const page = all.slice(start, start + limit);
    const entries = page.map(([, node], index) => ({ path: paths[start + index], ...factsOf(node) }));
    const next = start + limit < all.length ? paths[start + limit - 1] : null;
    this.#answer({ entries, next, skipped: 0, ...countsOf(page) });
  }

  #remove(path: string, { path: given, recursive }: Request<'remove'>): void {
    if (given === '') throw new Refused('outside_workspace', 'it is the root of all files and stays');
    const node = this.#existing(path);
    const inside = this.#files.below(path);
    if (inside.length > 0 && !recursive) throw new Refused('not_empty', 'Directory not empty');
    for (const [name] of inside) this.#files.remove(`${path}/${name}`);
    this.#files.remove(path);
    this.#answer(countsOf([...inside, ['', node]]));
  }

  #get(path: string, request: Request<'get'>): void {
    const node = this.#existing(path);
    const { content } = node;
    if (content === null) throw new Refused('not_a_file', 'it is a folder');
    const available = Math.max(0, content.length - request.offset);
    const length = Math.min(request.length ?? available, available);
    this.#answer({ ...factsOf(node), links: LINKS, mediaType: mediaTypeOf(path), length });
    const bytes = content.subarray(request.offset, request.offset + length);
    if (length === 0) this.#send({ op: 'end', missing: 0 });
    else this.#follower = this.#sender(bytes);
  }

  #sender(bytes: Buffer): Follower {
    let left = bytes;
    return ({ op, bytes: room = 0 }) => {
      for (let granted = op === 'more' ? room : 0; granted > 0 && left.length > 0; ) {
        const chunk = left.subarray(0, Math.min(granted, FILE_CHUNK_BYTES));
        this.#send({ op: 'data' }, chunk);
        left = left.subarray(chunk.length);
        granted -= chunk.length;
      }
      if (left.length === 0) this.#send({ op: 'end', missing: 0 });
      return left.length === 0;
    };
  }

  #put(path: string, { path: given, folders, replace, offset }: Request<'put'>): void {
    if (given === '') throw new Refused('not_a_file', 'it is the root of all files');
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (folders) this.#makeFolders(parent);
    this.#folder(parent);
    const before = this.#files.node(path);
    if (before?.content === null) throw new Refused('not_a_file', 'it is a folder');
    if (before && !replace) throw new Refused('exists', 'it exists already');
    const old = offset === null ? Buffer.alloc(0) : (before?.content ?? Buffer.alloc(0));
    if (old.length !== (offset ?? 0)) throw new Refused('conflict', `it has ${old.length} bytes, and not ${offset}`);
    this.#answer({});
    const parts: Buffer[] = [old];
    this.#follower = ({ op }, body) => {
      if (op === 'end') {
        const content = Buffer.concat(parts);
        this.#files.write(path, content);
        this.#answer({ size: content.length, replaced: before !== null });
        return true;
      }
      parts.push(body);
      this.#send({ op: 'taken', bytes: body.length });
      return false;
    };
  }

  #changes({ since, limit, root }: Request<'changes'>): void {
    const mark = String(this.#files.tick());
    const found = this.#files
      .below(`/${root}`)
      .filter(([, { content, changedAt }]) => content !== null && changedAt >= Number(since));
    const files = found
      .slice(0, limit)
      .map(([path, node]) => ({ path, ...factsOf(node), mediaType: mediaTypeOf(path) }));
    this.#answer({ files, count: found.length, bytes: countsOf(found).bytes, skipped: 0, mark });
  }

  #makeFolders(path: string): number {
    let made = 0;
    let at = '';
    for (const name of path.split('/').slice(1)) {
      at += `/${name}`;
      const node = this.#files.node(at);
      if (node && node.content !== null) throw new Refused('not_a_folder', 'Not a directory');
      if (node) continue;
      this.#files.makeFolder(at);
      made += 1;
    }
    return made;
  }

  #existing(path: string): FakeNode {
    this.#folder(path.slice(0, path.lastIndexOf('/')) || '/workspace');
    const node = this.#files.node(path);
    if (!node) throw new Refused('not_found', 'No such file or directory');
    return node;
  }

  #folder(path: string): void {
    const node = this.#files.node(path);
    if (!node) throw new Refused('not_found', 'No such file or directory');
    if (node.content !== null) throw new Refused('not_a_folder', 'Not a directory');
  }

  #answer(value: object): void {
    this.#send({ op: 'answer', ...value });
  }

  #send(head: object, body: Buffer = Buffer.alloc(0)): void {
    const text = Buffer.from(JSON.stringify(head));
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(text.length, 0);
    header.writeUInt32BE(body.length, 4);
    this.#sink.stdout(Buffer.concat([header, text, body]));
  }
}

function pathOf({ root, path }: FileRequest): string {
  const names = path === '' ? [] : path.split('/');
  if (names.some((name) => ['', '.', '..'].includes(name))) {
    throw new Refused('invalid_path', 'it has a name that cannot be used');
  }
  return ['', root, ...names].join('/');
}

function factsOf({ content }: FakeNode) {
  return { type: content ? 'file' : 'folder', size: content?.length ?? 0, modifiedMs: 0 };
}

function countsOf(nodes: readonly (readonly [string, FakeNode])[]) {
  const files = nodes.flatMap(([, { content }]) => (content ? [content.length] : []));
  const bytes = files.reduce((sum, size) => sum + size, 0);
  return { files: files.length, folders: nodes.length - files.length, others: 0, bytes };
}

function mediaTypeOf(path: string): string {
  return path.endsWith('.csv') ? 'text/csv' : 'text/plain';
}
