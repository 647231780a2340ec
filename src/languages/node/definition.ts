import { z } from 'zod';
import { driverLanguage } from '../interpreter/driverLanguage.ts';
import { defineLanguage } from '../languageDefinition.ts';
import { NODE } from './facts.ts';
import { npmInstallsIn } from './packages/npmInstalls.ts';
import { NODE_PROJECT_FILES } from './projectFiles.ts';

/** JavaScript and TypeScript on Node.js. */
export const node = defineLanguage({
  ...NODE,
  sessionPrefix: 'node',
  projectFiles: NODE_PROJECT_FILES,
  options: z.strictObject({
    image: z.string().min(1).default('hothouse/node:latest').describe('Container image that Node.js runs in.'),
  }),
  guide:
    'Node.js: JavaScript, or TypeScript whose types are removed. import, require and top-level await work; the value of the last expression is the result. In a session const and let can be declared again. display(value) shows an object with Symbol.for("Jupyter.display"), as in Deno. `!npm install NAME` in a session installs packages.',
  packages: { manager: 'npm', tools: ['npm'], runsCode: true, fileExtensions: ['.tgz'], installsIn: npmInstallsIn },
  // V8 reserves half a gigabyte for compiled code, in each thread.
  reservesMemory: true,
  environment: () => ({ NODE_REPL_HISTORY: '', NO_COLOR: '1' }),
  create: () => driverLanguage({ name: 'node', program: 'node' }),
});
