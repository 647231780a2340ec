import { z } from 'zod';
import { driverLanguage } from '../interpreter/driverLanguage.ts';
import { defineLanguage } from '../languageDefinition.ts';
import { BASH } from './facts.ts';

/** Bash with the usual command-line programs. */
export const bash = defineLanguage({
  ...BASH,
  sessionPrefix: 'bash',
  options: z.strictObject({
    image: z.string().min(1).default('hothouse/bash:latest').describe('Container image that Bash runs in.'),
  }),
  guide:
    'Bash 5 with jq, gawk, bc, file, xxd, zip and the usual programs. The status is error when the exit status is not 0. In a session the folder, variables, functions and options persist.',
  environment: () => ({}),
  create: () => driverLanguage({ name: 'bash', program: 'bash' }),
});
