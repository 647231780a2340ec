import { z } from 'zod';
import { driverLanguage } from '../interpreter/driverLanguage.ts';
import { defineLanguage } from '../languageDefinition.ts';
import { CSHARP } from './facts.ts';
import { nugetReferencesIn } from './packages/nugetReferences.ts';

/** C# with top-level statements, on Mono. */
export const csharp = defineLanguage({
  ...CSHARP,
  sessionPrefix: 'cs',
  options: z.strictObject({
    image: z.string().min(1).default('hothouse/csharp:latest').describe('Container image that C# runs in.'),
  }),
  guide:
    'C# 7 on Mono with top-level statements, as in dotnet-script: no records, nullable references or exception filters. Of a run without a session that has types alone, Main runs. The value of a last expression without a semicolon is the result; top-level await works. System, its Collections.Generic, IO, Linq, Text, Threading and Threading.Tasks are imported. In a session variables, methods and types persist. `#r "nuget: NAME, VERSION"` in a session installs a package for .NET Framework or .NET Standard 2.0.',
  packages: {
    manager: 'nuget',
    tools: ['nuget'],
    runsCode: false,
    fileExtensions: ['.nupkg'],
    installsIn: nugetReferencesIn,
  },
  environment: () => ({}),
  create: () => driverLanguage({ name: 'csharp', program: 'hothouse-csharp' }),
});
