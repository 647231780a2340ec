import { z } from 'zod';
import { defineLanguage } from '../languageDefinition.ts';
import { LEAN } from './facts.ts';
import { leanLanguage } from './lean.ts';
import { createLeanEngine } from './questions/proofs.ts';
import { leanReports } from './questions/reportAnswer.ts';
import { leanTools } from './questions/tools.ts';
import { headerKey, parseHeader } from './text/header.ts';

/** Of a sandbox's memory, what a worker may use unless the options say otherwise. */
const WORKER_SHARE = 0.75;
const MB = 1024 * 1024;

/** Lean 4. */
export const lean = defineLanguage({
  ...LEAN,
  sessionPrefix: 'lean',
  options: z.strictObject({
    image: z.string().min(1).default('hothouse/lean:latest').describe('Container image that Lean runs in.'),
    memoryMb: z
      .int()
      .min(64)
      .max(1_048_576)
      .default(2048)
      .describe('Memory limit of a Lean sandbox in MB (2^20 bytes). Replaces limits.memoryMb.'),
    cpus: z
      .number()
      .min(0.1)
      .max(256)
      .default(2)
      .describe('CPU limit of a Lean sandbox, in which two processes work. Replaces limits.cpus.'),
    workerMemoryMb: z
      .int()
      .min(0)
      .max(1_048_576)
      .default(0)
      .describe('Memory in MB above which a Lean worker is replaced. 0: three quarters of lean.memoryMb.'),
    prewarmHeaders: z
      .array(z.string().max(10_000))
      .default([''])
      .describe('Import headers that workers elaborate before their first check, for example "import Lean".'),
    maxHeaders: z
      .int()
      .min(1)
      .max(64)
      .default(4)
      .describe('Maximum number of headers for which warm workers are kept.'),
    reuse: z
      .enum(['worker', 'sandbox'])
      .default('worker')
      .describe('worker: checks of one owner share a worker. sandbox: each check gets a wiped sandbox.'),
    allowedImports: z
      .array(z.string().min(1))
      .default([])
      .describe('Modules that code may import, including their submodules. Empty: all modules.'),
    blockedImports: z
      .array(z.string().min(1))
      .default([])
      .describe('Modules that code may not import, including their submodules.'),
  }),
  guide:
    'Lean 4: code is checked, and verdict, messages, sorries with goals and (if requested) axioms are returned. A main also runs, with stdin and exit code. In a session definitions, open, namespace and options persist; a cell with errors changes nothing; each cell may define main again.',
  buildOptions: [
    {
      name: 'toolchain',
      help: 'use this toolchain (the folder with bin/lean) instead of downloading one',
      needs: 'bin/lean',
    },
    {
      name: 'mathlib',
      help: 'include compiled Mathlib; needs 6 GB of disk',
      buildArgs: { MATHLIB: '1' },
    },
  ],
  replaces: {
    name: 'lean-docker-mcp',
    settings: {
      'docker.cpu_limit': { option: 'lean.cpus' },
      'docker.memory_limit': { option: 'lean.memoryMb', isMemory: true },
      'lean.allowed_imports': { option: 'lean.allowedImports' },
      'lean.blocked_imports': { option: 'lean.blockedImports' },
    },
  },
  // A process of Lean would have one thread for each CPU of the host, and all of them together more than the limit. Tasks
  // wait for each other, so that one is not enough.
  environment: (cpus) => ({ LEAN_NUM_THREADS: String(Math.max(2, Math.ceil(cpus))) }),
  // Stacks of threads, and room for compiled files.
  reservesMemory: true,
  poolKeys({ prewarmHeaders, maxHeaders }) {
    const keys = prewarmHeaders.map((text) => headerKey(parseHeader(text)));
    return { prewarmed: [...new Set(keys)], max: maxHeaders };
  },
  create: ({ options, clock }) =>
    leanLanguage({
      settings() {
        const { allowedImports, blockedImports, reuse, memoryMb, workerMemoryMb } = options();
        const workerMb = workerMemoryMb === 0 ? memoryMb * WORKER_SHARE : workerMemoryMb;
        return { allowedImports, blockedImports, reuse, workerMemoryBytes: workerMb * MB };
      },
      clock,
    }),
  questions: createLeanEngine,
  tools: leanTools,
  reports: leanReports,
});
