import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Revision } from './applicable.ts';

const PACKAGE = path.join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance');

const Requirements = z.object({
  server: z.array(z.string()),
  not_scored: z.array(z.object({ scenario: z.string(), leg: z.string() })),
});

const Checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

/** The names of all server scenarios of a revision. */
export function scenariosOf(revision: Revision): string[] {
  const text = readFileSync(path.join(PACKAGE, 'requirements', `${revision}.yaml`), 'utf8');
  const { server, not_scored } = Requirements.parse(parse(text));
  return [...server, ...not_scored.filter(({ leg }) => leg === 'server').map(({ scenario }) => scenario)];
}

/** The outcome of one scenario. */
export interface Outcome {
  readonly succeeded: number;
  /** Failed checks: id and message. */
  readonly failures: string[];
}

/**
 * Runs all scenarios of a revision against the server at `url` with the given Node; the outcomes by name. The suite writes
 * its report to `folder`.
 */
export async function runSuite(
  node: string,
  url: string,
  revision: Revision,
  folder: string,
): Promise<Readonly<Record<string, Outcome>>> {
  const args = [
    path.join(PACKAGE, 'dist/index.js'),
    'server',
    '--url',
    url,
    '--requirements',
    revision,
    '--output-dir',
    folder,
  ];
  const child = spawn(node, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve) => child.on('close', resolve));
  return Object.fromEntries(readdirSync(folder).map((name) => [scenarioOf(name), outcomeOf(path.join(folder, name))]));
}

/** The scenario name in the name of a report folder, as in `server-tools-list-2026-11-22T01-57-57-381Z`. */
function scenarioOf(name: string): string {
  return /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1] ?? name;
}

function outcomeOf(folder: string): Outcome {
  const checks = Checks.parse(JSON.parse(readFileSync(path.join(folder, 'checks.json'), 'utf8')));
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  return {
    succeeded: checks.filter(({ status }) => status === 'SUCCESS').length,
    failures: failed.map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`),
  };
}
