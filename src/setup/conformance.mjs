#!/usr/bin/env node
// `npm run conformance`: the official MCP conformance suite.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ended } from './commands.mjs';
import { ensureNode, planNode } from './node.mjs';
import { root } from './paths.mjs';
import { fail } from './steps.mjs';

/** The suite needs Node 22 or later. */
const NODE = '22.23.3';

/** Environment variables of the suite; installs what it needs. */
export async function conformanceVariables() {
  return { HOTHOUSE_NODE22: (await ensureNode(NODE)).binary };
}

/** The plan of `conformanceVariables`. */
export function planConformanceVariables() {
  return planNode(NODE);
}

async function main() {
  const env = { ...process.env, ...(await conformanceVariables()) };
  const args = ['--import', 'tsx', 'test/conformance/main.ts'];
  process.exitCode = await ended(spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main().catch(fail);
