import { setImmediate } from 'node:timers/promises';

/** Waits until the condition holds; throws if it never does. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; !isSo(); turn += 1) {
    if (turn > 10_000) throw new Error('it did not come to that');
    await setImmediate();
  }
}

/** Awaits a promise while the clock advances; calls `tick` for each tenth of a second. */
export async function moving<T>(
  clock: { advance(ms: number): void },
  promised: Promise<T>,
  tick = () => {},
): Promise<T> {
  let isOver = false;
  void promised.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    tick();
    clock.advance(100);
    await setImmediate();
  }
  return promised;
}
