import { Command, InvalidArgumentError, Option } from 'commander';
import { messageOf, plainText } from '../../base/log.ts';
import { ClientTokens, isExpired, type TokenRecord } from '../../local/clientTokens.ts';
import { type CommandContext, type Handle, UsageError } from '../command.ts';
import { FAILURE_STATUS } from '../exitStatus.ts';
import { jsonLine, say } from '../terminal.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const DEFAULT_EXPIRY = '90d';
const MAX_DAYS = 3_650;
const MAX_NAME = 80;

const NOTES = `
A client with a token of its own has sessions and sandboxes of its own. The token is shown once; only its hash is kept.`;

interface CreateOptions {
  /** Milliseconds, infinite for never. */
  readonly expires: number;
  readonly json?: boolean;
}

/** `hothouse token`: creates, lists and revokes tokens of clients. */
export function tokenCommand(handle: Handle): Command {
  const command = new Command('token').description('Create, list and revoke tokens of MCP clients over HTTP');
  command
    .command('create')
    .description('Create a token and print it, once')
    .argument('<NAME>', 'the client, for the list')
    .addOption(
      new Option('--expires <TIME>', 'minutes, hours or days, such as 30m, 12h or 30d; or never')
        .argParser(parseTime)
        .default(parseTime(DEFAULT_EXPIRY), DEFAULT_EXPIRY),
    )
    .option('--json', 'print it as JSON')
    .addHelpText('after', NOTES)
    .action(handle(create));
  command.command('list').description('List the tokens').option('--json', 'print them as JSON').action(handle(list));
  command
    .command('revoke')
    .description('Revoke a token: its next request is refused')
    .argument('<TOKEN>', 'its id, or its name')
    .action(handle(revoke));
  return command;
}

/** Commander would take null for no value. */
function parseTime(text: string): number {
  if (text === 'never') return Number.POSITIVE_INFINITY;
  const [, count = '', unit = ''] = /^(\d{1,9})([mhd])$/.exec(text) ?? [];
  const time = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (!(time > 0 && time <= MAX_DAYS * 86_400_000)) {
    throw new InvalidArgumentError(`It must be a time such as 30m, 12h or 30d, at most ${MAX_DAYS}d, or never.`);
  }
  return time;
}

async function create(
  { home, terminal }: CommandContext,
  name: string,
  { expires, json }: CreateOptions,
): Promise<number> {
  if (name !== plainText(name).replaceAll('\n', ' ') || name.trim() !== name || name === '' || name.length > MAX_NAME) {
    throw new UsageError(`NAME has 1 to ${MAX_NAME} characters in one line.`);
  }
  const tokens = new ClientTokens(home);
  if ((await tokens.list()).some((one) => one.name === name && stateOf(one) === 'valid')) {
    throw new UsageError(`There is a token named ${name}; revoke it first, or use another name.`);
  }
  try {
    const { token, record } = await tokens.create(name, Number.isFinite(expires) ? Date.now() + expires : null);
    terminal.stdout.write(json ? jsonLine({ token, ...fieldsOf(record) }) : `Token: ${token}\n${lineOf(record)}\n`);
    if (!json) say(terminal, 'it is shown once; clients send it as "Authorization: Bearer TOKEN"');
    return 0;
  } catch (error) {
    say(terminal, `the token cannot be kept: ${messageOf(error)}`);
    return FAILURE_STATUS;
  }
}

async function list({ home, terminal }: CommandContext, { json }: { readonly json?: boolean }): Promise<number> {
  const records = await new ClientTokens(home).list();
  if (json) terminal.stdout.write(jsonLine(records.map(fieldsOf)));
  else terminal.stdout.write(records.length === 0 ? 'There are no tokens.\n' : `${records.map(lineOf).join('\n')}\n`);
  return 0;
}

async function revoke({ home, terminal }: CommandContext, given: string): Promise<number> {
  const tokens = new ClientTokens(home);
  const valid = (await tokens.list()).filter((record) => stateOf(record) === 'valid');
  const found = valid.find(({ id }) => id === given) ?? valid.find(({ name }) => name === given);
  if (!found) {
    // What was given may be a token: it is not repeated.
    say(terminal, 'there is no valid token with that id or name; `hothouse token list` shows them');
    return FAILURE_STATUS;
  }
  try {
    await tokens.revoke(found);
    terminal.stdout.write(`Revoked ${found.id} (${found.name}).\n`);
    return 0;
  } catch (error) {
    say(terminal, `the token cannot be revoked: ${messageOf(error)}`);
    return FAILURE_STATUS;
  }
}

function stateOf(record: TokenRecord): 'valid' | 'expired' | 'revoked' {
  if (record.revokedAt !== null) return 'revoked';
  return isExpired(record) ? 'expired' : 'valid';
}

function fieldsOf(record: TokenRecord) {
  const { id, name, createdAt, expiresAt } = record;
  const expires = expiresAt === null ? null : new Date(expiresAt).toISOString();
  return { id, name, state: stateOf(record), created_at: new Date(createdAt).toISOString(), expires_at: expires };
}

function lineOf(record: TokenRecord): string {
  const { id, name, state, expires_at } = fieldsOf(record);
  return `${id}  ${state.padEnd(7)}  ${expires_at === null ? 'never expires' : `expires ${expires_at}`}  ${name}`;
}
