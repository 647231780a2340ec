import { asOrdinaryUser } from './ordinaryUser.mjs';
import { vitest } from './suite.mjs';

/** Rows of test/isolation that hold without a container engine, without those that take longest. */
const ATTACKS = [
  ...['02-honestCode', '02-kernelSurface', '03-privilege', '04-egress', '05-hostLeakage', '08-fill', '10-signals'],
  ...['11-tampering', '12-forgedFrames', '13-files', '14-forkers', '15-ipc', '16-startUpHooks', '18-resetFaults'],
  ...['19-owners', '23-bytes', '24-terminal', '26-recursion', '41-poisonedImports', '46-rootsOfMounts'],
  ...['47-lingeringNetwork', '52-ownStreams', '53-hostSockets', '58-copies', '59-furtherLanguages'],
].map((name) => `test/isolation/${name}.docker.test.ts`);
/** Files of test/isolation and test/faults by the vitest project that runs them. */
const ROWS = {
  isolation: ATTACKS,
  clients: ['test/isolation/38-crossedAnswers.docker.test.ts'],
  faults: ['29-removedContainer', '32-suspendedProcess', '33-crowd', '34-cancels'].map(
    (name) => `test/faults/${name}.docker.test.ts`,
  ),
};

/** Runs the project `local`, which needs no container engine, as an ordinary user; where that cannot be, says why. */
export function localTests() {
  return asOrdinaryUser((user) => vitest('local', user.env, user), { otherwise: skipped });
}

/** Runs rows of test/isolation and test/faults in the same way. */
export function localAttacks() {
  const attacks = async (user) => {
    const all = [];
    for (const [project, files] of Object.entries(ROWS)) {
      all.push(await vitest(project, { ...user.env, HOTHOUSE_TEST_HOST: 'local' }, { ...user, files }));
    }
    const sum = (key) => all.reduce((total, counts) => total + counts[key], 0);
    const details = all.flatMap(({ details: text }) => text ?? []).join('\n');
    return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), ...(details && { details }) };
  };
  return asOrdinaryUser(attacks, { otherwise: skipped });
}

function skipped(why) {
  return { passed: 0, failed: 0, skipped: 1, details: `    Skipped without a container engine: ${why}` };
}
