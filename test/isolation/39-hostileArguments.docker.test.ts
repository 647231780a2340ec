import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunAnswer } from '../../src/mcp/output/runAnswer.ts';
import { idOf, inspectContainer } from '../host/docker/inspect.ts';
import { call, connectHttp } from '../mcp/connect.ts';
import { type Isolated, isolationEngine } from './harness.ts';
import { goodHead, linesOf, runCode, type Served, sendRaw, serve } from './mcpServer.ts';

/** What a sandbox is, as code in it sees it. */
const PROBE = [
  'import os, sys',
  'sys.stderr.write(sys.stdin.read())',
  "status = dict(line.split(':', 1) for line in open('/proc/self/status'))",
  "mounts = sorted(' '.join(line.split()[4:6]) for line in open('/proc/self/mountinfo'))",
  "facts = [status[name].strip() for name in ('Uid', 'Gid', 'Groups', 'CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp')]",
  "facts += [os.listdir('/sys/class/net'), mounts, dict(os.environ)]",
  "facts += [open('/sys/fs/cgroup/memory.max').read() if os.path.exists('/sys/fs/cgroup/memory.max') else '']",
  // The one thing in which sandboxes differ.
  "print(str(facts).replace(str(os.getuid()), 'USER'))",
].join('\n');

/** A folder of the host with a secret; `mark` appears in it when a payload gets a shell to run. */
interface Bait {
  readonly folder: string;
  readonly secret: string;
  readonly mark: string;
}

function hostileValues({ folder, mark }: Bait): unknown[] {
  const up = '../'.repeat(12);
  return [
    ...[`${up}etc/passwd`, '/etc/passwd', `${folder}/secret`, `${up}${folder}/secret`, `file://${folder}/secret`],
    ...['%2e%2e%2f%2e%2e%2fetc%2fpasswd', '..\\..\\windows', '/proc/1/root', '/var/run/docker.sock', '~/.ssh/id_rsa'],
    ...[`$(touch ${mark})`, `\`touch ${mark}\``, `; touch ${mark}`, `| touch ${mark}`, `' && touch ${mark} #`],
    ...[`\n touch ${mark}`, `--privileged`, `-v=/:/host`, `--network=host`, '--runtime=/bin/sh', '{"Privileged":true}'],
    ...['\u0000', 'python\u0000', '\ud800', '{{7*7}}', `\${process.exit()}`, '%s%n', '__proto__', 'constructor'],
    ...[
      { HostConfig: { Privileged: true, Binds: ['/:/host'] } },
      ['python', '--privileged'],
      { $ne: null },
      'é'.repeat(9999),
    ],
    ...[null, -1, 1e308, true],
  ];
}

// The protocol's library drops `__proto__` early.
const OF_RUN = ['language', 'session_id', 'timeout_seconds', 'stdin', 'state', '__proto__'];
const FOREIGN = ['image', 'network', 'mounts', 'env', 'user', 'privileged', 'runtime', 'limits', 'HostConfig'];

type Attack = ReturnType<typeof attack>;

/** A call of a tool, its arguments put together as text: there `__proto__` is a name like others. */
function attack(tool: string, args: object, name: string, value: unknown) {
  const fields = [...Object.entries(args), [name, value]].map((field) =>
    field.map((part) => JSON.stringify(part)).join(':'),
  );
  return { name: tool, arguments: JSON.parse(`{${fields.join(',')}}`) };
}

/** Arguments that tools have, with values that they should not take. */
function misused(bait: Bait) {
  const run = { language: 'python', code: PROBE };
  return hostileValues(bait).flatMap((value) => [
    ...OF_RUN.map((name) => attack('run_code', run, name, value)),
    attack('run_code', run, 'state', { x: value, [String(value).slice(0, 100)]: 1 }),
    attack('open_session', {}, 'language', value),
    attack('close_session', {}, 'session_id', value),
    attack('interrupt_session', {}, 'session_id', value),
  ]);
}

/** Arguments and tools that do not exist, with any value. */
function invented(bait: Bait) {
  const run = { language: 'python', code: PROBE };
  return hostileValues(bait).flatMap((value) => [
    ...FOREIGN.map((name) => attack('run_code', run, name, value)),
    attack('open_session', { language: 'python' }, 'image', value),
    attack('list_sessions', {}, 'owner', value),
    attack(String(value), run, 'x', 1),
  ]);
}

/** Podman lists variables and volumes in another order for each container, and volumes by names of their own. */
function inOrder(list: unknown): unknown {
  return Array.isArray(list) ? list.map((one) => String(one).replace(/^[0-9a-f]{64}:/, 'VOLUME:')).sort() : list;
}

describe('row 39: arguments and paths', () => {
  let isolated: Isolated;
  let served: Served;
  let client: Client;
  let bait: Bait;
  beforeAll(async () => {
    isolated = await isolationEngine();
    served = await serve(isolated.engine);
    client = await connectHttp(served.url, served.token);
    const folder = await mkdtemp(path.join(tmpdir(), 'hothouse-bait-'));
    bait = { folder, secret: randomBytes(16).toString('hex'), mark: path.join(folder, 'mark') };
    await writeFile(path.join(folder, 'secret'), bait.secret);
  });
  afterAll(async () => {
    await served.dispose();
    await isolated.dispose();
    await rm(bait.folder, { recursive: true });
  });

  const probe = async () => {
    const { structuredContent } = await call(client, 'run_code', { language: 'python', code: PROBE });
    return (structuredContent as RunAnswer).stdout;
  };
  /** Sent past the client's own checks; a refusal of the protocol is an answer too. */
  const answerTo = (params: Attack) =>
    client
      .request({ method: 'tools/call', params }, CallToolResultSchema)
      .catch((error: Error) => ({ structuredContent: null, refused: error.message }));
  /** The options of the containers, the same for each of them. */
  const making = async () => {
    const containers = await Promise.all((await isolated.containers()).map(inspectContainer));
    return new Set(
      containers.map(({ Config, HostConfig }) => {
        const text = JSON.stringify([
          { ...Config, Env: inOrder(Config.Env) },
          { ...HostConfig, Binds: inOrder(HostConfig.Binds) },
        ]);
        // The one thing in which sandboxes differ.
        return text.replaceAll(String(idOf(Config.User)), 'USER');
      }),
    );
  };

  it('over 500 payloads cause no escape, and neither create nor change a sandbox', async () => {
    const session = await call(client, 'open_session', { language: 'python' });
    const session_id = String(session.structuredContent?.session_id);
    await call(client, 'run_code', { language: 'python', code: 'kept = 7', session_id });
    const inside = await probe();
    const outside = await making();
    expect(outside.size).toBe(1);

    const unknownArguments = invented(bait);
    const payloads = [...misused(bait), ...unknownArguments];
    expect(payloads.length).toBeGreaterThan(500);
    const escapes: unknown[] = [];
    const accepted: unknown[] = [];
    let ran = 0;
    for (const params of payloads) {
      const answer = await answerTo(params);
      if ([bait.secret, 'root:x:0:0'].some((word) => JSON.stringify(answer).includes(word))) escapes.push(params);
      const run = answer.structuredContent as RunAnswer | undefined;
      if (run && unknownArguments.includes(params)) accepted.push(params);
      if (run?.status !== 'ok') continue;
      ran += 1;
      if (run.stdout !== inside) escapes.push([params, run.stdout]);
    }
    expect(escapes).toEqual([]);
    expect(accepted).toEqual([]);
    expect(ran).toBeGreaterThan(50);
    expect([...(await making())]).toEqual([...outside]);
    expect(await probe()).toBe(inside);
    const kept = await call(client, 'run_code', { language: 'python', code: 'kept', session_id });
    expect(kept.structuredContent).toMatchObject({ status: 'ok', result: '7' });
    expect((await call(client, 'list_sessions')).structuredContent).toMatchObject({ sessions: [{ session_id }] });
  });

  it('files of the host stay unchanged', async () => {
    expect(await readdir(bait.folder)).toEqual(['secret']);
    expect(await readFile(path.join(bait.folder, 'secret'), 'utf8')).toBe(bait.secret);
  });

  it('no other path of the server exists', async () => {
    const targets = ['/', '/mcp/', '/mcp/../../../../etc/passwd', '/..%2f..%2fetc/passwd', '/mcp%00', '/MCP', '//mcp'];
    for (const target of targets) {
      const head = { ...goodHead(served), line: `POST ${target} HTTP/1.1` };
      expect((await sendRaw(served.port, linesOf(head), runCode('1'))).status).toBe(404);
    }
    const session = goodHead(served, 'POST', '../../../../etc/passwd');
    expect((await sendRaw(served.port, linesOf(session), runCode('1'))).status).toBe(404);
  });
});
