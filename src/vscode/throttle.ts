import type { Disposable } from '../base/disposable.ts';

/** Changes come in bursts, and what draws them would flicker. */
const SETTLE_MS = 150;

/** Calls `action` a moment after the first of several triggers. */
export function settled(action: () => void): Disposable & { trigger(): void } {
  let timer: NodeJS.Timeout | undefined;
  const fire = () => {
    timer = undefined;
    action();
  };
  return {
    trigger: () => {
      timer ??= setTimeout(fire, SETTLE_MS);
    },
    dispose: () => clearTimeout(timer),
  };
}
