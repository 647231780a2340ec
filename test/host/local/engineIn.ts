import { silentLog } from '../../../src/base/log.ts';
import { Options, type OptionsInput } from '../../../src/engine/options.ts';
import type { Engine, SessionStore } from '../../../src/engine/types.ts';
import { createLocalEngine } from '../../../src/local/localEngine.ts';
import { IMAGES } from './hostIn.ts';

interface Given {
  readonly options?: OptionsInput;
  readonly env?: NodeJS.ProcessEnv;
  readonly sessionStore?: SessionStore;
}

/** An engine without a container engine, with one warm sandbox, whose environments and sandboxes are in the home folder `home`. */
export function engineIn(home: string, { options = {}, env = process.env, ...more }: Given = {}): Promise<Engine> {
  return createLocalEngine({
    options: Options.parse({ host: { kind: 'local' }, pool: { size: 1 }, ...options }),
    log: silentLog,
    env,
    home,
    imagesFolder: IMAGES,
    ...more,
  });
}
