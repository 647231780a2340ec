#!/usr/bin/env node
// `npm run podman`: the tests that run on Podman, with one of their own; the last line is the count.
import { podmanTests } from './podman.mjs';
import { part, Tally } from './suite.mjs';

const tally = new Tally();
await part(tally, 'Tests with Podman', podmanTests);
if (tally.failed > 0) process.exitCode = 1;
console.log(`${tally.passed} passed, ${tally.failed} failed`);
