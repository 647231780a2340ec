/**
 * A process with an engine in the home folder that its argument names, which builds the environment of Bash and runs code in a
 * session until it is killed.
 */
import { engineIn } from './engineIn.ts';

const OWNER = { id: 'test', kind: 'cli', label: 'test' } as const;
const engine = await engineIn(process.argv[2] ?? '');
const built = await engine.buildEnvironment('bash', () => {});
const opened = await engine.openSession('bash', OWNER);
if (!built.ok || !opened.ok) throw new Error('There is no session.');
const code = 'echo kept > /workspace/file; setsid sleep 1000 & sleep 1001';
await engine.run({ language: 'bash', owner: OWNER, sessionId: opened.value.id, code, timeoutSeconds: 1_000 });
