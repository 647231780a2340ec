import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { capCases } from './caps.ts';
import { cellCases } from './cells.ts';
import { copyCases } from './copies.ts';
import { fileCases } from './files.ts';
import type { AgentCase, AgentUnderTest } from './harness.ts';
import { programCases } from './programs.ts';
import { requestCases } from './requests.ts';
import { resetCases } from './resets.ts';
import { resumptionCases } from './resumptions.ts';

/**
 * What the engine relies on in every agent, asked through `Sandbox`. `makeAgent` is called once. A sandbox serves several
 * cases, with a reset between two of them, as in a pool.
 */
export function agentContract(name: string, makeAgent: () => AgentUnderTest): void {
  describe(`${name} keeps the agent's contract`, () => {
    let agent: AgentUnderTest;
    let sandbox: Sandbox | undefined;
    let isLost = false;

    const open = async () => {
      const opened = await agent.open();
      isLost = false;
      void opened.lost.then(() => {
        isLost = true;
      });
      return opened;
    };
    /** Makes the next case start in a new sandbox. */
    const discard = async () => {
      await sandbox?.dispose();
      sandbox = undefined;
    };
    const testCase: AgentCase = {
      get code() {
        return agent.code;
      },
      get sandbox() {
        if (!sandbox) throw new Error('no sandbox is open');
        return sandbox;
      },
    };

    beforeAll(() => {
      agent = makeAgent();
    });
    beforeEach(async () => {
      sandbox ??= await open();
    });
    afterEach(async () => {
      if (isLost || !(await sandbox?.reset(10_000))?.clean) await discard();
    });
    afterAll(async () => {
      await discard();
      await agent.close();
    });

    describe('a cell', () => cellCases(testCase));
    describe('a copy', () => copyCases(testCase));
    describe('a cap', () => capCases(testCase));
    describe('a program', () => programCases(testCase));
    describe('files', () => fileCases(testCase));
    describe('a request', () => requestCases(testCase, discard));
    describe('a reset', () => resetCases(testCase));
    describe('another engine', () => resumptionCases(testCase, discard, (id, secret) => agent.resume(id, secret)));
  });
}
