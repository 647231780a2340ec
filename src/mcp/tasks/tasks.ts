import { randomUUID } from 'node:crypto';
import { slices } from '../../base/slices.ts';
import type { Engine } from '../../engine/types.ts';
import { jsonBytes } from '../delivery/jsonBytes.ts';
import { KEEP_TASK_MS, Task, type TaskWork } from './task.ts';

/** Tasks of an owner that are in progress, which a client could otherwise start without limit. */
const MAX_WORKING = 64;
/** Tasks that have ended, and the bytes of their results as JSON; the oldest are forgotten first. */
const MAX_ENDED = 100;
const MAX_ENDED_BYTES = 64 * 1024 * 1024;

/** The calls of tools that run code: those in progress, and for a while those that have ended. Only their owner sees them. */
export class Tasks {
  readonly #tasks = new Map<string, Task>();
  /** The ended ones with the sizes of their results, the oldest first. */
  readonly #ended = new Map<string, number>();
  #bytes = 0;

  /** Starts a task; null when the owner has too many in progress. */
  start(owner: string, tool: string, work: TaskWork): Task | null {
    if (this.of(owner).filter(({ isEnded }) => !isEnded).length >= MAX_WORKING) return null;
    const task = new Task(newTaskId(), owner, tool, work);
    this.#tasks.set(task.id, task);
    void task.ended.then(() => this.#keep(task));
    return task;
  }

  /** A task of an owner; undefined when there is none, or it is another's. */
  find(owner: string, id: string): Task | undefined {
    const task = this.#tasks.get(id);
    return task?.owner === owner ? task : undefined;
  }

  /** The tasks of an owner, the latest first. */
  of(owner: string): readonly Task[] {
    return [...this.#tasks.values()].filter((task) => task.owner === owner).reverse();
  }

  async #keep(task: Task): Promise<void> {
    const bytes = await slices.run(jsonBytes(task.result));
    this.#ended.set(task.id, bytes);
    this.#bytes += bytes;
    setTimeout(() => this.forget(task.id), KEEP_TASK_MS).unref();
    for (const id of this.#ended.keys()) {
      if (this.#ended.size <= MAX_ENDED && this.#bytes <= MAX_ENDED_BYTES) break;
      this.forget(id);
    }
  }

  /** Forgets a task that clients have no use for. */
  forget(id: string): void {
    this.#bytes -= this.#ended.get(id) ?? 0;
    this.#ended.delete(id);
    this.#tasks.delete(id);
  }
}

/** By the keys of engines. */
const all = new WeakMap<object, Tasks>();

/** The tasks of an engine, whatever server serves it. */
export function tasksOf({ key }: Engine): Tasks {
  const tasks = all.get(key) ?? new Tasks();
  all.set(key, tasks);
  return tasks;
}

/** A task's id, which is that of its run too; others cannot guess it. */
function newTaskId(): string {
  return `run-${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
