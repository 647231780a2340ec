/**
 * Runs the official MCP conformance suite for both eras: all scenarios against servers with the suite's fixtures on the
 * product's endpoint, and scenarios without fixtures against the product. Prints `ok` and `not ok` lines, and in the last
 * line `N passed, N failed`. Needs HOTHOUSE_NODE22, the Node for the suite; the reports go to out/conformance.
 */
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { silentLog } from '../../src/base/log.ts';
import { type Endpoint, openEndpoint } from '../../src/mcp/http/endpoint.ts';
import { startHttpServer } from '../../src/mcp/http/httpServer.ts';
import { StubEngine } from '../mcp/stubEngine.ts';
import { NOT_APPLICABLE, ON_PRODUCT, REVISIONS, type Revision } from './applicable.ts';
import { fixtureServer } from './fixture.ts';
import { type Outcome, runSuite, scenariosOf } from './suite.ts';
import { tasksServer } from './tasksServer.ts';
import { startTokenProxy } from './tokenProxy.ts';

const OUT = path.join(import.meta.dirname, '../../out/conformance');
const counts = { passed: 0, failed: 0 };

rmSync(OUT, { recursive: true, force: true });
const fixtures: Endpoint = await openEndpoint({
  log: silentLog,
  createServer: () => fixtureServer(() => fixtures.notify),
});
const tasks: Endpoint = await openEndpoint({ log: silentLog, createServer: tasksServer });
const product = await startHttpServer({ log: silentLog, engine: new StubEngine(), version: '1' });
for (const revision of REVISIONS) {
  const onFixtures = await outcomes(fixtures, revision, 'fixtures');
  const scenarios = scenariosOf(revision);
  const onTasks = scenarios.some(isOfTasks) ? await outcomes(tasks, revision, 'tasks') : {};
  for (const scenario of scenarios) {
    const outcome = (isOfTasks(scenario) ? onTasks : onFixtures)[scenario];
    const reason = NOT_APPLICABLE[revision][scenario];
    if (reason === undefined) expectPass(`${revision} ${scenario}`, outcome);
    else expectNoPass(`${revision} ${scenario}`, outcome, reason);
  }
  const onProduct = await outcomes(product, revision, 'product');
  for (const scenario of ON_PRODUCT[revision]) expectPass(`${revision} product ${scenario}`, onProduct[scenario]);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);

/** Whether a scenario is of the tasks extension, whose tools have a server of their own. */
function isOfTasks(scenario: string): boolean {
  return scenario.startsWith('tasks-');
}

async function outcomes(server: Pick<Endpoint, 'url' | 'token'>, revision: Revision, name: string) {
  const node = process.env.HOTHOUSE_NODE22;
  if (!node) throw new Error('HOTHOUSE_NODE22 is not set; npm run conformance sets it.');
  const front = await startTokenProxy(server);
  const { port } = front.address() as AddressInfo;
  return runSuite(node, `http://127.0.0.1:${port}/mcp`, revision, path.join(OUT, `${name}-${revision}`));
}

function expectPass(title: string, outcome: Outcome | undefined): void {
  const failures = outcome?.failures ?? ['It was not run.'];
  if (failures.length === 0 && outcome?.succeeded === 0) failures.push('It checked nothing.');
  report(title, failures);
}

/** A scenario that does not apply fails or checks nothing; it is not counted. */
function expectNoPass(title: string, outcome: Outcome | undefined, reason: string): void {
  const isPassed = outcome?.failures.length === 0 && outcome.succeeded > 0;
  if (outcome && !isPassed) console.log(`n/a ${title}: ${reason}`);
  else report(title, ['It passes or does not run: remove it from NOT_APPLICABLE.']);
}

function report(title: string, failures: readonly string[]): void {
  if (failures.length === 0) counts.passed += 1;
  else counts.failed += 1;
  console.log(failures.length === 0 ? `ok ${title}` : `not ok ${title}\n    ${failures.join('\n    ')}`);
}
