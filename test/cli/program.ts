import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport as CurrentStdioTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { connectCurrent, connectEra, type Era, newClient, type TestClient } from '../mcp/connect.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = ['--import', 'tsx', 'src/cli/main.ts'];
const PARAMETERS = { command: process.execPath, args: [...PROGRAM, 'mcp'], cwd: ROOT, stderr: 'pipe' as const };

/** The command line as a process of its own. */
export function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [...PROGRAM, ...args], { cwd: ROOT, env: programVariables(env) });
}

/** How a process ended, and what it wrote. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Feeds a process and waits for its end. */
export function ended(child: ChildProcess, input?: string): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    written.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    written.stderr += chunk;
  });
  child.stdin?.end(input);
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...written })));
}

/** A real client of revision 2025-11-25 of `hothouse mcp` with these arguments, a process of its own. */
export async function connectStdio(env: Record<string, string> = {}, args: readonly string[] = []) {
  const client = newClient();
  const parameters = { ...PARAMETERS, args: [...argumentsOf(env), ...args], env: programVariables(env) };
  await client.connect(new StdioClientTransport(parameters));
  await client.listTools();
  return client;
}

/** A real client of an era of `hothouse mcp`, a process of its own. */
export async function connectStdioEra(era: Era, env: Record<string, string> = {}): Promise<TestClient> {
  if (era === '2025-11-25') return (await connectStdio(env)) as TestClient;
  return connectCurrent(
    new CurrentStdioTransport({ ...PARAMETERS, args: argumentsOf(env), env: programVariables(env) }),
  );
}

/** In the user's own home it must not join a VS Code window that happens to be open. */
function argumentsOf({ HOME }: Readonly<Record<string, string>>): string[] {
  return HOME === undefined ? [...PARAMETERS.args, '--own'] : PARAMETERS.args;
}

/** The variables of a program: ours without what is for tests, which `hothouse` would report as an unknown option, and `env`. */
function programVariables(env: Record<string, string> = {}): Record<string, string> {
  const { HOTHOUSE_TEST_HOST, ...rest } = { ...process.env, ...env };
  return Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A client, and what ends it with its server. */
interface Connection {
  readonly client: TestClient;
  end(): Promise<unknown>;
}

/** `hothouse serve` as a process of its own. */
export async function serveProcess(env: Record<string, string>) {
  const child = start(['serve', '--json'], env);
  const line = await new Promise<string>((resolve) => child.stdout?.once('data', (chunk) => resolve(String(chunk))));
  const { url, token } = JSON.parse(line) as { readonly url: string; readonly token: string };
  const end = () => {
    child.kill('SIGTERM');
    return ended(child);
  };
  return { child, url, token, end };
}

/** A client of `hothouse serve`, a process of its own that ends with it. */
export async function connectServe(era: Era, env: Record<string, string>): Promise<Connection> {
  const { url, token, end } = await serveProcess(env);
  const client = await connectEra(era, url, token);
  return { client, end: () => client.close().then(end) };
}

/** A client of `hothouse mcp`. */
export async function connectMcp(era: Era, env: Record<string, string>): Promise<Connection> {
  const client = await connectStdioEra(era, env);
  return { client, end: () => client.close() };
}

/** Removes a home folder, and the environments that `hothouse` has made for it. */
export async function removeHome(home: string): Promise<void> {
  const { stdout } = await ended(start(['env', 'list', '--json'], { HOME: home }));
  for (const { name } of JSON.parse(stdout) as { name: string }[]) {
    await ended(start(['env', 'remove', name], { HOME: home }));
  }
  rmSync(home, { recursive: true });
}
