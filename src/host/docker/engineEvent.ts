/** Something that happened to a container, as the engine tells it. */
export interface EngineEvent {
  readonly id: string;
  readonly action: 'die' | 'oom' | 'kill' | 'destroy';
  /** Status of the first process, with `die`. */
  readonly exitCode: number | null;
  /** The engine's time in nanoseconds since the epoch. */
  readonly at: bigint;
}

/** The actions that the engine is asked for. */
export const EVENT_ACTIONS = ['die', 'oom', 'kill', 'destroy'] as const;

/** Reads one line of the engine's stream; null when it says nothing of use. */
export function parseEvent(line: string): EngineEvent | null {
  // Times are beyond the precision of a number; the digits are taken as text.
  const at = /"timeNano":\s*(\d+)/.exec(line)?.[1];
  const { Action: name, Actor: actor }: RawEvent = JSON.parse(line);
  const action = EVENT_ACTIONS.find((known) => known === name);
  if (!at || !action || !actor?.ID) return null;
  const exitCode = actor.Attributes?.exitCode;
  return { id: actor.ID, action, exitCode: exitCode === undefined ? null : Number(exitCode), at: BigInt(at) };
}

interface RawEvent {
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
}
