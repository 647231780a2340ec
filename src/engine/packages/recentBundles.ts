import type { Clock } from '../../base/clock.ts';
import type { AddedPackage } from './types.ts';

/** As long as an index usually allows its pages to be kept. */
const KEPT_MS = 10 * 60_000;
const MAX_BUNDLE_BYTES = 32 * 1024 ** 2;
const MAX_BYTES = 64 * 1024 ** 2;

/** What an installation has made, as its installer's archive. */
export interface Bundle {
  readonly added: readonly AddedPackage[];
  readonly archive: readonly Buffer[];
  /** What the installer has said. */
  readonly output: string;
}

/** Bundles of the last minutes, by what was asked for: the same again needs no resolver. Bounded in bytes and time. */
export class RecentBundles {
  readonly #clock: Clock;
  readonly #bundles = new Map<string, { readonly bundle: Bundle; readonly bytes: number; readonly madeAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(key: string): Bundle | null {
    this.#expire();
    return this.#bundles.get(key)?.bundle ?? null;
  }

  /** Keeps it unless it is too large; the oldest ones make room. */
  add(key: string, bundle: Bundle): void {
    const bytes = bundle.archive.reduce((sum, part) => sum + part.length, 0);
    if (bytes > MAX_BUNDLE_BYTES) return;
    this.#bundles.delete(key);
    this.#bundles.set(key, { bundle, bytes, madeAt: this.#clock.now() });
    let total = [...this.#bundles.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [other, one] of this.#bundles) {
      if (total <= MAX_BYTES) break;
      this.#bundles.delete(other);
      total -= one.bytes;
    }
    this.#clock.schedule(KEPT_MS, () => this.#expire());
  }

  #expire(): void {
    const since = this.#clock.now() - KEPT_MS;
    for (const [key, { madeAt }] of this.#bundles) if (madeAt <= since) this.#bundles.delete(key);
  }
}

/** Collects what is read of an archive; null once that is more than a bundle has that is kept. */
export class ArchiveCopy {
  #parts: Buffer[] | null = [];
  #bytes = 0;

  readonly add = (part: Buffer): void => {
    this.#bytes += part.length;
    if (this.#bytes > MAX_BUNDLE_BYTES) this.#parts = null;
    this.#parts?.push(part);
  };

  get parts(): readonly Buffer[] | null {
    return this.#parts;
  }
}
