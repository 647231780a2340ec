import type { RunAnswer } from '../../src/mcp/output/runAnswer.ts';
import { connectEra, type ERAS, type TestClient } from '../mcp/connect.ts';

/** How many clients call, how often, and how many calls of one client are under way at the same time. */
export interface Volley {
  readonly clients: number;
  readonly calls: number;
  readonly atOnce: number;
}

/** The results of many concurrent clients. */
export interface Crossfire {
  /** Answers and progress that did not belong to their call. */
  readonly foreign: readonly string[];
  readonly answered: number;
}

/** The era of the client with this number: every other one is of the newer. */
function eraOf(client: number): (typeof ERAS)[number] {
  return client % 2 === 0 ? '2025-11-25' : '2026-07-28';
}

/**
 * Real clients of both revisions, all at once; each of their calls prints its own mark. They number their
 * calls and progress tokens alike, so nothing but the server keeps them apart.
 */
export async function crossfire(
  { url, token, tokens = [token] }: { readonly url: string; readonly token: string; readonly tokens?: string[] },
  { clients, calls, atOnce }: Volley,
  codeOf: (mark: string) => string,
): Promise<Crossfire> {
  const foreign: string[] = [];
  let answered = 0;
  const connected = await Promise.all(
    Array.from({ length: clients }, (_, who) => connectEra(eraOf(who), url, tokens[who % tokens.length] ?? token)),
  );
  const one = async (client: TestClient, mark: string) => {
    const check = (text: string | undefined) => void (text !== `${mark}\n` && foreign.push(`${mark}: ${text}`));
    check(await stdoutOf(client, codeOf(mark), check));
    answered += 1;
  };
  const lane = async (client: TestClient, who: number, first: number) => {
    for (let turn = first; turn < calls; turn += atOnce) await one(client, `${who}.${turn}`);
  };
  await Promise.all(
    connected.flatMap((client, who) => Array.from({ length: atOnce }, (_, first) => lane(client, who, first))),
  );
  await Promise.all(connected.map((client) => client.close()));
  return { foreign, answered };
}

async function stdoutOf(client: TestClient, code: string, onProgress: (text: string | undefined) => void) {
  const params = { name: 'run_code', arguments: { language: 'python', code } };
  const onprogress = ({ message }: { message?: string | undefined }) => onProgress(message);
  const answer = await client.callTool(params, undefined, { onprogress, timeout: 500_000 });
  return (answer as { structuredContent?: RunAnswer }).structuredContent?.stdout;
}
