import { z } from 'zod';
import { driverLanguage } from '../interpreter/driverLanguage.ts';
import { defineLanguage } from '../languageDefinition.ts';
import { R } from './facts.ts';

/** R with its base packages. */
export const r = defineLanguage({
  ...R,
  sessionPrefix: 'r',
  options: z.strictObject({
    image: z.string().min(1).default('hothouse/r:latest').describe('Container image that R runs in.'),
  }),
  guide:
    'R 4 with its base packages. Visible values are printed as at the prompt; plots are returned without a device. In a session the global environment persists; q(status = n) ends the cell with that exit status.',
  environment: () => ({}),
  create: () => driverLanguage({ name: 'r', program: 'R' }),
});
