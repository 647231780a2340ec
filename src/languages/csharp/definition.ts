import { z } from 'zod';
import { driverLanguage } from '../interpreter/driverLanguage.ts';
import { defineLanguage } from '../languageDefinition.ts';
import { CSHARP } from './facts.ts';

/** C# with top-level statements, on Mono. */
export const csharp = defineLanguage({
  ...CSHARP,
  sessionPrefix: 'cs',
  options: z.strictObject({
    image: z.string().min(1).default('hothouse/csharp:latest').describe('Container image that C# runs in.'),
  }),
  guide:
    'C# 7 on Mono with top-level statements, as in dotnet-script: no records, nullable references or exception filters. The value of a last expression without a semicolon is the result; top-level await works. System, its Collections.Generic, IO, Linq, Text, Threading and Threading.Tasks are imported. In a session variables, methods and types persist.',
  packageAdvice:
    'Put the .dll of the package, the one for .NET Framework 4, into the workspace of the session and reference it: #r "NAME.dll". Assemblies that Debian has come with an environment, by their apt package.',
  environment: () => ({}),
  create: () => driverLanguage({ name: 'csharp', program: 'hothouse-csharp' }),
});
