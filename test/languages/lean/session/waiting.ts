import { setImmediate } from 'node:timers/promises';

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
