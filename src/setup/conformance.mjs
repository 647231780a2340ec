#!/usr/bin/env node
// `npm run conformance`: the official conformance suite of MCP alone.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureNode, planNode } from './node.mjs';
import { root } from './paths.mjs';
import { ended } from './run.mjs';
import { fail } from './steps.mjs';

/** What the suite runs on: it wants Node 22 or newer. */
const NODE = '22.23.3';

/** What the suite's run is told by environment variables. */
export async function conformanceVariables() {
  return { HOTHOUSE_NODE22: (await ensureNode(NODE)).binary };
}

/** What that does to the machine. */
export function planConformanceVariables() {
  return planNode(NODE);
}

async function main() {
  const env = { ...process.env, ...(await conformanceVariables()) };
  const args = ['--import', 'tsx', 'test/conformance/main.ts'];
  process.exitCode = await ended(spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main().catch(fail);
