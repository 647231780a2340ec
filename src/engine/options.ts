import { z } from 'zod';
import type { LanguageDefinition, LanguageOptionsSchema } from '../languages/languageDefinition.ts';
import { LANGUAGES } from '../languages/registry.ts';
import { HostPattern } from './network/hostPattern.ts';

type Groups<L extends readonly LanguageDefinition[]> = {
  [D in L[number] as D['id']]: z.ZodPrefault<D['options']>;
};

/** Nothing, or an address with a host of plain characters; a login is percent-encoded. */
const UPSTREAM =
  /^(?:http:\/\/(?:[\w.~:%!$&()*+,;=-]+@)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[1-9][0-9]{0,4})?\/?)?$/;

/** A group of options for each language, named by its id. */
function groupsOf<L extends readonly LanguageDefinition[]>(languages: L): Groups<L> {
  return Object.fromEntries(languages.map(({ id, options }) => [id, options.prefault({})])) as Groups<L>;
}

/**
 * Every option of the engine with its default: settings (`hothouse.pool.size`), YAML (`pool: {size: 2}`) and
 * environment variables (`HOTHOUSE_POOL_SIZE`) are spellings of these.
 */
export const Options = z.strictObject({
  host: z
    .strictObject({
      kind: z
        .enum(['auto', 'docker', 'local'])
        .default('auto')
        .describe(
          'Where sandboxes run: docker, a container engine; local, this machine by bubblewrap, for an ordinary user on Linux; auto, a container engine where one answers, else this machine.',
        ),
    })
    .prefault({}),
  docker: z
    .strictObject({
      host: z
        .string()
        .default('')
        .describe('Address of the Docker Engine, as in DOCKER_HOST. Empty: detected automatically.'),
      baseImage: z
        .string()
        .default('')
        .describe('Base image that environments are built on. Empty: a slim Debian, pinned by digest.'),
      runtime: z
        .string()
        .default('')
        .describe('OCI runtime for sandboxes, for example runsc. Empty: the default runtime of the Docker Engine.'),
    })
    .prefault({}),
  ...groupsOf(LANGUAGES),
  limits: z
    .strictObject({
      memoryMb: z.int().min(64).max(1_048_576).default(512).describe('Memory limit of a sandbox in MB (2^20 bytes).'),
      notebookMemoryMb: z
        .int()
        .min(64)
        .max(1_048_576)
        .default(2048)
        .describe(
          "Memory limit in MB of the session of a person's notebook, where it is above limits.memoryMb. Needs Docker or a cgroup of systemd; elsewhere limits.memoryMb holds.",
        ),
      cpus: z.number().min(0.1).max(256).default(1).describe('CPU limit of a sandbox.'),
      pids: z.int().min(16).max(4096).default(128).describe('Maximum number of processes and threads in a sandbox.'),
      timeoutSeconds: z
        .number()
        .min(0.1)
        .max(86_400)
        .default(30)
        .describe('Time limit of a run in seconds. Notebook cells have no time limit.'),
      outputKb: z.int().min(1).max(8_192).default(1024).describe('Maximum output kept of each stream of a run, in KB.'),
      workspaceMb: z.int().min(1).max(65_536).default(256).describe('Size of the folder /workspace in MB.'),
      tmpMb: z.int().min(1).max(65_536).default(64).describe('Size of /tmp and of /dev/shm in MB.'),
      readOnly: z.boolean().default(true).describe('Makes the files of the image read-only.'),
    })
    .prefault({}),
  network: z
    .strictObject({
      policy: z
        .enum(['none', 'packages', 'allow', 'full'])
        .default('none')
        .describe(
          'What sandboxes reach. none: nothing. packages: nothing, and what installs packages reaches only their registries. allow: the hosts in network.allow, through a proxy. full: whatever Docker reaches.',
        ),
      allow: z
        .array(HostPattern)
        .default([])
        .describe(
          'Hosts for the policy allow: example.org, *.example.org for its subdomains, example.org:8443 for a port other than 80 and 443.',
        ),
      privateHosts: z
        .array(HostPattern)
        .default([])
        .describe('Those of network.allow that may have an address of a private network.'),
      registries: z
        .array(HostPattern)
        .default([])
        .describe(
          'Hosts that packages are installed from, for the policies packages and allow. Empty: those of the package indexes of this machine.',
        ),
      proxyImage: z
        .string()
        .min(1)
        .default('hothouse/proxy:latest')
        .describe('Container image of the proxy for the policies packages and allow.'),
      upstreamProxy: z
        .string()
        .max(1_000)
        .regex(UPSTREAM)
        .default('')
        .describe(
          "HTTP proxy that this proxy reaches the network through, such as http://proxy.example.com:3128. Empty: this machine's.",
        ),
      noProxy: z
        .string()
        .max(4_000)
        .default('')
        .describe('Hosts that the proxy reaches without network.upstreamProxy, separated by commas.'),
    })
    .prefault({}),
  pool: z
    .strictObject({
      size: z.int().min(1).max(256).default(2).describe('Number of warm sandboxes kept for each environment.'),
      minIdle: z
        .int()
        .min(0)
        .max(256)
        .default(1)
        .describe('Number of warm sandboxes kept when nothing has run for pool.maxAgeSeconds.'),
      maxAgeSeconds: z
        .int()
        .min(1)
        .max(604_800)
        .default(300)
        .describe('Seconds after its first run at which an idle sandbox is replaced.'),
      maxConcurrentCreations: z
        .int()
        .min(1)
        .max(64)
        .default(5)
        .describe('Maximum number of sandboxes created at the same time.'),
      reuse: z
        .enum(['reset', 'never'])
        .default('reset')
        .describe('reset: a sandbox is wiped after a run and used again. never: each run gets a new sandbox.'),
      prewarm: z.boolean().default(false).describe('Starts sandboxes before their first use.'),
      maxWaiting: z.int().min(1).max(100_000).default(1000).describe('Maximum number of runs that wait for a sandbox.'),
      maxUses: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(1000)
        .describe('Number of runs after which a sandbox is replaced.'),
      resetDeadlineMs: z.int().min(10).max(60_000).default(2_000).describe('Time limit of a reset in milliseconds.'),
    })
    .prefault({}),
  environments: z
    .strictObject({
      maxWarm: z
        .int()
        .min(1)
        .max(256)
        .default(8)
        .describe('Number of environments with warm sandboxes. Beyond it, the least recently used gives up its own.'),
      buildMinutes: z
        .number()
        .min(0.01)
        .max(1_440)
        .default(30)
        .describe('Time limit in minutes for the build of an environment.'),
      cacheMb: z
        .int()
        .min(0)
        .max(1_048_576)
        .default(5_120)
        .describe(
          'Size in MB of what builds of environments keep for later builds: downloads and steps. Above it, the least recently used is removed.',
        ),
      agents: z
        .enum(['ask', 'allow', 'deny'])
        .default('ask')
        .describe("Whether agents may create environments. ask: the agent's program asks its user, if it can."),
    })
    .prefault({}),
  packages: z
    .strictObject({
      agents: z
        .enum(['ask', 'allow', 'deny'])
        .default('ask')
        .describe(
          'Whether AI agents may install packages into sessions. ask: a person is asked, if the MCP client can do that.',
        ),
      allowed: z
        .array(z.string())
        .default([])
        .describe('Names of packages that AI agents may install without being asked, unless packages.agents is deny.'),
      tool: z
        .string()
        .regex(/^[a-z]*$/)
        .default('')
        .describe('What installs packages where there is a choice: uv or pip. Empty: uv, if the image has it.'),
      index: z
        .string()
        .default('')
        .describe('Address of the package index for uv and pip. Empty: that of this machine.'),
      npmIndex: z
        .string()
        .default('')
        .describe('Address of the package registry for npm. Empty: that of this machine.'),
      nugetIndex: z
        .string()
        .default('')
        .describe(
          'Address of the index of packages for C# (NuGet, version 3). Empty: the first one in the NuGet.Config of this machine.',
        ),
      extraIndexes: z.array(z.string()).default([]).describe('Addresses of further package indexes for uv and pip.'),
      trustedHosts: z
        .array(z.string())
        .default([])
        .describe('Hosts of package indexes whose certificates are not checked.'),
      certificates: z
        .string()
        .default('')
        .describe('File with certificates (PEM) that installers trust in place of those of this machine.'),
      proxy: z
        .string()
        .default('')
        .describe('Address of the HTTP proxy that installers use. Empty: that of this machine.'),
      noProxy: z
        .string()
        .default('')
        .describe('Hosts that installers reach without packages.proxy, separated by commas.'),
      urls: z.boolean().default(false).describe('Accepts URLs of packages where names of packages are expected.'),
      build: z
        .boolean()
        .default(true)
        .describe(
          'Builds packages from source that have no wheel. Their code then runs in the container that installs.',
        ),
      timeoutSeconds: z.number().min(1).max(86_400).default(600).describe('Time limit of an installation in seconds.'),
      maxMb: z
        .int()
        .min(1)
        .max(1_048_576)
        .default(4_096)
        .describe('Maximum size of what one installation adds, in MB.'),
      cacheMb: z
        .int()
        .min(0)
        .max(1_048_576)
        .default(4_096)
        .describe('Size of the cache of downloads in MB, above which it is emptied. 0: no cache.'),
    })
    .prefault({}),
  profiles: z
    .strictObject({
      isError: z
        .boolean()
        .default(false)
        .describe('MCP profiles: whether code that fails makes isError true. The older servers leave it false.'),
      useImage: z.boolean().default(false).describe('Uses the images that the configuration of an older server names.'),
    })
    .prefault({}),
  sessions: z
    .strictObject({
      max: z.int().min(1).max(1024).default(16).describe('Maximum number of open sessions.'),
      keepSeconds: z
        .int()
        .min(30)
        .max(86_400)
        .default(600)
        .describe('Seconds that a session of a notebook waits for its window, for example while the window reloads.'),
    })
    .prefault({}),
});
export type Options = z.infer<typeof Options>;
/** Options as a user writes them: every one is optional. */
export type OptionsInput = z.input<typeof Options>;

/** Every option at its default. */
export const DEFAULT_OPTIONS: Options = Options.parse({});

/** A language's own options; its defaults where these have no group for it. */
export function languageOptions({ id, options }: LanguageDefinition, all: Options): z.infer<LanguageOptionsSchema> {
  const parsed = parsedGroups.get(all) ?? new Map<LanguageOptionsSchema, z.infer<LanguageOptionsSchema>>();
  parsedGroups.set(all, parsed);
  const groups: Readonly<Record<string, unknown>> = all;
  const own = parsed.get(options) ?? options.parse(groups[id] ?? {});
  parsed.set(options, own);
  return own;
}

/** Options never change, and every run asks for those of its language. */
const parsedGroups = new WeakMap<Options, Map<LanguageOptionsSchema, z.infer<LanguageOptionsSchema>>>();

/** Bytes of code that one run may have. */
export const MAX_CODE_BYTES = 1_048_576;
/** Bytes of stdin, and of state as JSON, that one run may have. */
export const MAX_INPUT_BYTES = 4_194_304;

/** One option, its schema and its default; `key` as in `pool.size`. */
export interface OptionKey {
  readonly key: string;
  readonly group: string;
  readonly name: string;
  readonly schema: z.ZodType;
  readonly fallback: unknown;
}

/** Every option, in the order of the schema. */
export const OPTION_KEYS: readonly OptionKey[] = Object.entries(Options.shape).flatMap(([group, groupSchema]) =>
  Object.entries<z.ZodType>(groupSchema.unwrap().shape).map(([name, schema]) => ({
    key: `${group}.${name}`,
    group,
    name,
    schema,
    fallback: schema.parse(undefined),
  })),
);
