import path from 'node:path';
import { describe } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { Options } from '../../src/engine/options.ts';
import { createLocalEngine } from '../../src/local/localEngine.ts';
import { HOST_KIND } from '../testHost.ts';
import { newLanguageSuite, WITH_TOY } from './newLanguage.ts';

describe('a new language on a real host', () => {
  newLanguageSuite(() =>
    createLocalEngine({
      languages: WITH_TOY,
      options: Options.parse({ host: { kind: HOST_KIND }, pool: { size: 1 }, python: { preload: [] } }),
      log: silentLog,
      env: process.env,
      home: process.env.HOME ?? '/',
      imagesFolder: path.resolve(import.meta.dirname, '../../images'),
    }),
  );
});
