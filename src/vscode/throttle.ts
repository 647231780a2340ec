import type { Disposable } from '../base/disposable.ts';

/** Changes come in bursts; a view that redraws at each would flicker. */
const DELAY_MS = 150;

/** Calls `action` once, `DELAY_MS` after the first of several triggers. */
export function throttled(action: () => void): Disposable & { trigger(): void } {
  let timer: NodeJS.Timeout | undefined;
  const fire = () => {
    timer = undefined;
    action();
  };
  return {
    trigger: () => {
      timer ??= setTimeout(fire, DELAY_MS);
    },
    dispose: () => clearTimeout(timer),
  };
}
