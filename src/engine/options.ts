import { z } from 'zod';

/**
 * Every option of the engine with its default: settings (`hothouse.pool.size`), YAML (`pool: {size: 2}`) and
 * environment variables (`HOTHOUSE_POOL_SIZE`) are spellings of these.
 */
export const Options = z.strictObject({
  docker: z
    .strictObject({
      host: z.string().default('').describe('Docker Engine to use, as in DOCKER_HOST. Empty: found by itself.'),
      baseImage: z
        .string()
        .default('')
        .describe('Image that environments are built on. Empty: a slim Debian, by its digest.'),
      runtime: z.string().default('').describe('OCI runtime for sandboxes, for example runsc. Empty: the default.'),
    })
    .prefault({}),
  python: z
    .strictObject({
      image: z.string().min(1).default('hothouse/python:latest').describe('Image that Python runs in.'),
      preload: z
        .array(z.string().regex(/^[A-Za-z_][\w.]*$/))
        .default(['numpy', 'pandas', 'matplotlib.pyplot', 'IPython'])
        .describe('Modules that a sandbox imports ahead of time, where the image has them.'),
    })
    .prefault({}),
  lean: z
    .strictObject({
      image: z.string().min(1).default('hothouse/lean:latest').describe('Image that Lean runs in.'),
      memoryMb: z
        .int()
        .min(64)
        .max(1_048_576)
        .default(2048)
        .describe('Memory of a sandbox of Lean in MB (2^20 bytes), in the place of limits.memoryMb.'),
      cpus: z
        .number()
        .min(0.1)
        .max(256)
        .default(2)
        .describe('CPUs of a sandbox of Lean, which has two processes at work, in the place of limits.cpus.'),
      workerMemoryMb: z
        .int()
        .min(0)
        .max(1_048_576)
        .default(0)
        .describe('Memory in MB beyond which a worker of Lean is replaced. 0: three quarters of lean.memoryMb.'),
      prewarmHeaders: z
        .array(z.string().max(10_000))
        .default([''])
        .describe('Headers that workers have elaborated ahead of time, each as text, for example "import Lean".'),
      maxHeaders: z
        .int()
        .min(1)
        .max(64)
        .default(4)
        .describe('Headers of which warm workers are kept at the same time.'),
      reuse: z
        .enum(['worker', 'sandbox'])
        .default('worker')
        .describe('Whether checks of one owner share a worker, or each gets a sandbox that was wiped.'),
      allowedImports: z
        .array(z.string().min(1))
        .default([])
        .describe('Modules that may be imported, with all below them. Empty: every one.'),
      blockedImports: z
        .array(z.string().min(1))
        .default([])
        .describe('Modules that may not be imported, nor any below them.'),
    })
    .prefault({}),
  limits: z
    .strictObject({
      memoryMb: z.int().min(64).max(1_048_576).default(512).describe('Memory of a sandbox in MB (2^20 bytes).'),
      cpus: z.number().min(0.1).max(256).default(1).describe('CPUs of a sandbox.'),
      pids: z.int().min(16).max(4096).default(128).describe('Processes and threads in a sandbox.'),
      timeoutSeconds: z.number().min(0.1).max(86_400).default(30).describe('Time a run may take, in seconds.'),
      outputKb: z.int().min(1).max(8_192).default(1024).describe('Output kept of each stream of a run, in KB.'),
      workspaceMb: z.int().min(1).max(65_536).default(256).describe('Size of the workspace folder in MB.'),
      tmpMb: z.int().min(1).max(65_536).default(64).describe('Size of /tmp and of /dev/shm in MB.'),
      network: z.boolean().default(false).describe('Whether sandboxes can reach the network.'),
      readOnly: z.boolean().default(true).describe("Whether the image's own files are read-only."),
    })
    .prefault({}),
  pool: z
    .strictObject({
      size: z.int().min(1).max(256).default(2).describe('Warm sandboxes kept for each environment.'),
      minIdle: z
        .int()
        .min(0)
        .max(256)
        .default(1)
        .describe('Warm sandboxes that stay when nothing was run for pool.maxAgeSeconds.'),
      maxAgeSeconds: z
        .int()
        .min(1)
        .max(604_800)
        .default(300)
        .describe('Seconds after its first run at which an idle sandbox is replaced.'),
      maxConcurrentCreations: z.int().min(1).max(64).default(5).describe('Sandboxes made at the same time.'),
      reuse: z.enum(['reset', 'never']).default('reset').describe('Whether a sandbox serves again after a reset.'),
      prewarm: z.boolean().default(false).describe('Whether sandboxes start before their first use.'),
      maxWaiting: z.int().min(1).max(100_000).default(1000).describe('Runs that may wait for a sandbox.'),
      maxUses: z.int().min(1).max(1_000_000).default(1000).describe('Runs after which a sandbox is replaced.'),
      resetDeadlineMs: z.int().min(10).max(60_000).default(2_000).describe('Time a reset may take, in ms.'),
    })
    .prefault({}),
  sessions: z
    .strictObject({
      max: z.int().min(1).max(1024).default(16).describe('Sessions open at the same time.'),
    })
    .prefault({}),
});
export type Options = z.infer<typeof Options>;
/** Options as a user writes them: everything may be left out. */
export type OptionsInput = z.input<typeof Options>;

/** Every option at its default. */
export const DEFAULT_OPTIONS: Options = Options.parse({});

/** Bytes of code that one run may have. */
export const MAX_CODE_BYTES = 1_048_576;
/** Bytes of stdin, and of state as JSON, that one run may have. */
export const MAX_INPUT_BYTES = 4_194_304;
