import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { formatList } from '../../base/list.ts';
import { messageOf, plainText } from '../../base/log.ts';
import { EXPORT_FORMATS } from '../../config/environmentExport.ts';
import { type FileEnvironment, parseEnvironmentFile } from '../../config/environmentFile.ts';
import type { CreateEnvironment } from '../../engine/environment/catalog.ts';
import type { EnvironmentInput, EnvironmentRecord } from '../../engine/environment/definition.ts';
import { NetworkConsent } from '../../engine/network/consent.ts';
import { formatEnvironmentNetwork, needsConsent } from '../../engine/network/environmentNetwork.ts';
import type { Engine, Result } from '../../engine/types.ts';
import type { LanguageDefinition } from '../../languages/languageDefinition.ts';
import { addPair, addText, type CommandContext, type Handle, UsageError, withEngine } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { idsOf, languageOf } from '../namedLanguage.ts';
import { confirm, jsonLine, problemText, readAll, say } from '../terminal.ts';

const NOTES = `
With --file every environment of the file is created, or only NAME. A file that \`hothouse env export --lock\` has
written installs exactly the same again.

Code in an environment reaches no host, unless --network full, --allow or the file says so. That needs your consent: with
--allow-network, or by a question on a terminal.`;

const FORMATS = Object.keys(EXPORT_FORMATS);

interface CreateOptions {
  readonly language?: string;
  readonly base?: string;
  readonly pip?: readonly string[];
  readonly npm?: readonly string[];
  readonly nuget?: readonly string[];
  readonly apt?: readonly string[];
  readonly var?: Readonly<Record<string, string>>;
  readonly network?: 'none' | 'packages' | 'full';
  readonly allow?: readonly string[];
  readonly file?: string;
  readonly replace?: boolean;
  readonly allowNetwork?: boolean;
}

/** `hothouse env`: creates, lists and removes environments. */
export function envCommand(handle: Handle, languages: readonly LanguageDefinition[]): Command {
  const command = new Command('env').description('Create, list and remove environments: packages and variables');
  addCreate(command, handle, languages);
  command
    .command('list')
    .description('List the environments')
    .option('--json', 'print them as JSON')
    .action(handle(list));
  command
    .command('show')
    .description('Show an environment, its image and its lock')
    .argument('<NAME>')
    .action(handle(show));
  command
    .command('remove')
    .description('Remove an environment and its image')
    .argument('<NAME>')
    .action(handle(remove));
  command
    .command('export')
    .description('Print an environment as a file for `hothouse env create --file`, or for others')
    .argument('<NAME>')
    .option('--lock', 'with exact versions and hashes of all that is installed')
    .addOption(new Option('--format <FORMAT>', 'form of the file').choices(FORMATS).default('yaml'))
    .action(handle(exportFile));
  return command;
}

function addCreate(parent: Command, handle: Handle, languages: readonly LanguageDefinition[]): void {
  const add = (entry: string, list: readonly string[] = []) => [...list, entry];
  parent
    .command('create')
    .description('Create an environment: build its image and keep it under a name')
    .argument('[NAME]', 'lower-case letters, digits, ".", "_" and "-"')
    .option('--language <LANGUAGE>', `${formatList(idsOf(languages), 'or')}; default: ${languages[0]?.id ?? ''}`)
    .option('--pip <PACKAGE>', 'a package for pip, such as "requests>=2"; repeatable', add)
    .option('--npm <PACKAGE>', 'a package for npm, such as lodash@^4; repeatable', add)
    .option('--nuget <PACKAGE>', 'a package for NuGet, such as Newtonsoft.Json@13.0.3; repeatable', add)
    .option('--apt <PACKAGE>', 'a Debian package; repeatable', add)
    .option('--var <KEY=VALUE>', 'an environment variable; repeatable', addPair)
    .option('--base <IMAGE>', "image to build on; default: the language's own")
    .addOption(
      new Option(
        '--network <POLICY>',
        'none: no installs; packages: installs only (default); full: every host',
      ).choices(['none', 'packages', 'full']),
    )
    .option('--allow <HOST>', 'a host that code reaches, such as example.org or *.example.org; repeatable', addText)
    .option('--allow-network', 'consent to the hosts that code in it reaches')
    .option('--file <FILE>', 'read environments from a file; - is standard input')
    .option('--replace', 'replace another environment of that name')
    .addHelpText('after', NOTES)
    .action(
      handle(async (context, name: string | undefined, options: CreateOptions) => {
        const wanted = await wantedEnvironments(context, name, options);
        return withEngine(context, async (engine) => {
          for (const { input, lock } of wanted) {
            const { signal } = context;
            const onLine = (line: string) => void context.terminal.stdout.write(`${plainText(line)}\n`);
            const how = { lock, onLine, signal, replace: options.replace ?? false };
            const created = await create(engine, context, input, how, options);
            const status = report(context, created, 'Created');
            if (status !== 0) return status;
          }
          return 0;
        });
      }),
    );
}

/** Asks for consent to the network of an environment that needs one. */
async function create(
  { environments }: Engine,
  { terminal, signal }: CommandContext,
  input: EnvironmentInput,
  how: CreateEnvironment,
  { allowNetwork = false, file }: CreateOptions,
): Promise<Result<EnvironmentRecord>> {
  const created = await environments.create(input, how);
  if (created.ok || created.error.kind !== 'needs_consent') return created;
  const consent = await NetworkConsent.ask(input, async ({ question, detail }) => {
    if (allowNetwork) return true;
    return file !== '-' && (await confirm(terminal, `${detail}\n${question}`, signal));
  });
  return consent ? environments.create(input, { ...how, consent }) : created;
}

async function wantedEnvironments(
  { terminal, languages }: CommandContext,
  name: string | undefined,
  { language, base, pip, npm, nuget, apt, var: variables, network, allow, file }: CreateOptions,
): Promise<readonly FileEnvironment[]> {
  if (file === undefined) {
    if (name === undefined) throw new UsageError('env create takes a name, or --file FILE.');
    const { id } = languageOf(language ?? languages[0]?.id, languages);
    const lists = { pip, npm, nuget, apt };
    const packages = Object.fromEntries(Object.entries(lists).map(([manager, list = []]) => [manager, [...list]]));
    if (network !== undefined && allow !== undefined) throw new UsageError('Use --network or --allow, not both.');
    const reached = allow === undefined ? network : { allow: [...allow] };
    const input = { name, language: id, base: base ?? '', packages, variables: { ...variables }, network: reached };
    return [{ input, lock: undefined }];
  }
  if (language ?? base ?? pip ?? npm ?? nuget ?? apt ?? variables ?? network ?? allow) {
    throw new UsageError('With --file, the file alone says what an environment consists of.');
  }
  const text = file === '-' ? await readAll(terminal.stdin) : await readText(file);
  const { environments, problems } = parseEnvironmentFile(text, languages);
  if (problems.length > 0) throw new UsageError(problems.map((problem) => `${file}, ${problem}`).join('\n'));
  const chosen = environments.filter(({ input }) => name === undefined || input.name === name);
  if (chosen.length === 0) throw new UsageError(`${file} has no environment${name === undefined ? '' : ` ${name}`}.`);
  return chosen;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function list(context: CommandContext, { json }: { readonly json?: boolean }): Promise<number> {
  return withEngine(context, async ({ environments }) => {
    const { stdout } = context.terminal;
    const records = await environments.list();
    if (json) stdout.write(jsonLine(records.map(recordJson), 2));
    else for (const record of records) stdout.write(`${plainText(recordLine(record))}\n`);
    if (!json && records.length === 0)
      say(context.terminal, 'there are no environments; create one with `hothouse env create`');
    return 0;
  });
}

function show(context: CommandContext, name: string): Promise<number> {
  return withEngine(context, async ({ environments }) => {
    const found = await environments.find(name);
    if (found.ok) context.terminal.stdout.write(jsonLine(recordJson(found.value), 2));
    return found.ok ? 0 : report(context, found, '');
  });
}

function remove(context: CommandContext, name: string): Promise<number> {
  return withEngine(context, async ({ environments }) => report(context, await environments.remove(name), 'Removed'));
}

function exportFile(
  context: CommandContext,
  name: string,
  { lock = false, format }: { readonly lock?: boolean; readonly format: string },
): Promise<number> {
  return withEngine(context, async ({ environments }) => {
    const found = await environments.find(name);
    if (!found.ok) return report(context, found, '');
    const text = EXPORT_FORMATS[format]?.(found.value, lock) ?? null;
    if (text === null) throw new UsageError(`The environment ${name} has nothing that ${format} can name.`);
    context.terminal.stdout.write(text);
    return 0;
  });
}

function report({ terminal }: CommandContext, result: Result<EnvironmentRecord>, done: string): number {
  if (result.ok) terminal.stdout.write(`${done} ${result.value.name} (${result.value.image})\n`);
  else say(terminal, problemText(result.error));
  return result.ok ? 0 : FAILURE_STATUS;
}

/** An environment in one line. */
function recordLine({ name, language, packages, network }: EnvironmentRecord): string {
  const all = Object.values(packages).flat();
  const reaches = needsConsent(network) ? `; reaches ${formatEnvironmentNetwork(network)}` : '';
  return `${name} (${language}): ${all.slice(0, 10).join(', ') || 'no packages'}${all.length > 10 ? ', …' : ''}${reaches}`;
}

function recordJson({ createdAt, consent: _digest, ...record }: EnvironmentRecord) {
  return { ...record, created_at: new Date(createdAt).toISOString() };
}
