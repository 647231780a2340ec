import { type Clock, systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { ChangedFiles } from '../../engine/files/types.ts';
import { sees, type Viewer } from '../../engine/session/viewer.ts';
import type { Engine, RunWorkspace } from '../../engine/types.ts';

/** Bytes of a kept file, and of all kept files of an engine. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** Runs whose files are kept, and how long; more recent runs replace older ones. */
export const MAX_KEPT_RUNS = 100;
export const KEEP_MS = 15 * 60_000;

/** A file that a run has made, after the run. */
export interface KeptFile {
  readonly path: string;
  readonly mediaType: string;
  readonly modifiedMs: number;
  readonly content: Buffer;
}

interface KeptRun {
  readonly runId: string;
  readonly owner: string;
  readonly files: readonly KeptFile[];
  readonly bytes: number;
  readonly expiry: Disposable;
}

/**
 * The files that one-shot runs have made, kept in memory for a while: their sandboxes are wiped. The owner of a run and
 * people see them. The limits are those above.
 */
export class RunFiles {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #runs = new Map<string, KeptRun>();
  #bytes = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Reads the files that are small enough to be kept. */
  async read(changed: ChangedFiles, workspace: RunWorkspace): Promise<readonly KeptFile[]> {
    const files: KeptFile[] = [];
    let bytes = 0;
    for (const { path, type, size, mediaType, modifiedMs } of changed.files) {
      if (type !== 'file' || size > MAX_FILE_BYTES || bytes + size > MAX_KEPT_BYTES) continue;
      const content = await contentOf(workspace, path, size);
      if (!content) continue;
      bytes += content.length;
      files.push({ path, mediaType, modifiedMs, content });
    }
    return files;
  }

  /** Keeps files that were read. */
  keep(runId: string, owner: string, files: readonly KeptFile[]): void {
    if (files.length === 0) return;
    const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
    const expiry = this.#clock.schedule(KEEP_MS, () => this.#remove(runId));
    this.#runs.set(runId, { runId, owner, files, bytes, expiry });
    this.#bytes += bytes;
    for (const oldest of this.#runs.keys()) {
      if (this.#bytes <= MAX_KEPT_BYTES && this.#runs.size <= MAX_KEPT_RUNS) break;
      this.#remove(oldest);
    }
  }

  find(viewer: Viewer, runId: string, path: string): KeptFile | null {
    return this.filesOf(viewer, runId)?.find((file) => file.path === path) ?? null;
  }

  /** Those of a run; null when none are kept, or the viewer does not see the run. */
  filesOf(viewer: Viewer, runId: string): readonly KeptFile[] | null {
    const run = this.#runs.get(runId);
    return run && sees(viewer, run.owner) ? run.files : null;
  }

  /** The runs that a viewer sees and whose files are kept, the latest first. */
  runsOf(viewer: Viewer): readonly string[] {
    return [...this.#runs.values()]
      .filter((run) => sees(viewer, run.owner))
      .map(({ runId }) => runId)
      .reverse();
  }

  #remove(runId: string): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    run.expiry.dispose();
    this.#runs.delete(runId);
    this.#bytes -= run.bytes;
  }
}

/** By the keys of engines. */
const files = new WeakMap<object, RunFiles>();
const outputs = new WeakMap<object, RunFiles>();

/** The kept files of an engine's runs, whatever server serves it. */
export function runFilesOf(engine: Engine): RunFiles {
  return keptOf(files, engine);
}

/** The long texts that an engine's runs have printed or displayed, kept in the same way and within the same limits. */
export function runOutputsOf(engine: Engine): RunFiles {
  return keptOf(outputs, engine);
}

function keptOf(all: WeakMap<object, RunFiles>, { key }: Engine): RunFiles {
  const kept = all.get(key) ?? new RunFiles();
  all.set(key, kept);
  return kept;
}

/** The first `size` bytes of a file: user code that is left over may still write to it. */
async function contentOf(workspace: RunWorkspace, path: string, size: number): Promise<Buffer | null> {
  const opened = await workspace.get(path, { length: size });
  if (!opened.ok) return null;
  try {
    return Buffer.concat(await opened.value.content.toArray());
  } catch {
    return null;
  }
}
