import { MAX_PUT_BYTES } from '../../src/protocol/messages.ts';

const FOLDERS = ['/workspace', '/tmp'];

/** The writable places of a fake sandbox: files directly in `/workspace` and `/tmp`. */
export class FakeFiles {
  readonly #files = new Map<string, Buffer>();
  #taints: string[] = [];

  /** Writes a file; null, or why it could not be written. */
  put(path: string, content: Buffer): string | null {
    const [empty, root, ...rest] = path.split('/');
    if (empty !== '' || !FOLDERS.includes(`/${root}`) || rest.length === 0 || rest.some(isNoName)) {
      return `${path}: files can be put below /workspace and /tmp only`;
    }
    if (content.length > MAX_PUT_BYTES) {
      return `${path}: ${content.length} bytes are more than the ${MAX_PUT_BYTES} that are accepted`;
    }
    if (rest.length > 1) return `${path}: No such file or directory`;
    this.#files.set(path, content);
    return null;
  }

  /** What the file holds; null where there is none. */
  read(path: string): Buffer | null {
    return this.#files.get(path) ?? null;
  }

  isFolder(path: string): boolean {
    return FOLDERS.includes(path);
  }

  /** Leaves something that the next reset finds and cannot remove. */
  taint(what: string): void {
    this.#taints.push(what);
  }

  /** Removes every file; what is left. */
  wipe(): readonly string[] {
    this.#files.clear();
    return this.#taints;
  }
}

function isNoName(part: string): boolean {
  return ['', '.', '..'].includes(part);
}
