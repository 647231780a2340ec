import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, serveProcess, start } from '../../cli/program.ts';
import { RestClient } from './restClient.ts';

/** A request to the older server with its answer. */
interface Captured {
  readonly note: string;
  readonly request: { readonly method: string; readonly path: string; readonly json: unknown };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly lines?: readonly string[];
    readonly body?: object;
  };
}

const captures = JSON.parse(
  readFileSync(new URL('captures/docker-executor-rest.json', import.meta.url), 'utf8'),
) as Captured[];

/** Fields whose values are new in each run, or counts and words of another machine. */
const OWN_VALUES = new Set([
  ...['execution_id', 'file_id', 'file_path', 'uploaded_at', 'image_id', 'new_image_id', 'build_logs'],
  ...['timestamp', 'start_time', 'end_time', 'execution_time_seconds', 'active_containers', 'available_images'],
]);

/** What differs from the older server, by the note of a capture: a promise of its documents that it broke. */
const DIFFERENCES: Readonly<Record<string, { readonly status?: number; readonly body: object; readonly why: string }>> =
  {
    'execute: failing': { body: { stdout: 'out\n', stderr: 'err\n' }, why: 'stdout and stderr are apart.' },
    'execute: image not there': {
      body: { error_message: 'There is no image no-such:1 with python. Create it first.' },
      why: 'The error names what is wrong.',
    },
    'execute: not JSON': {
      body: { detail: [{ type: 'json_invalid', msg: 'JSON decode error' }] },
      why: 'Another parser.',
    },
    'files/stats (shadowed by /files/{file_id})': {
      status: 200,
      body: { total_files: 1, total_size: 21, files_by_language: { python: 1 } },
      why: 'The documented statistics are reachable.',
    },
    'progress while running': {
      body: { status: 'running', end_time: null, response: null },
      why: 'Its answer came after the execution.',
    },
    'progress at the end': {
      body: { status: 'completed', logs: ['line 1', 'line 2', 'line 3'] },
      why: 'Lines are there.',
    },
    'result of a streamed execution': {
      status: 200,
      body: { status: 'completed', stdout: 'line 1\nline 2\nline 3\n' },
      why: 'The id that the start returns names the result.',
    },
    'install: fails': {
      body: { success: false, error_message: expect.stringContaining('hothouse-no-such-package-1') },
      why: 'The words of the installer.',
    },
  };

let home: string;
let served: Awaited<ReturnType<typeof serveProcess>>;
let client: RestClient;
/** Ids of the capture → ids of this run. */
const ids = new Map<string, string>();

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'hothouse-rest-'));
  served = await serveProcess({ HOME: home });
  client = new RestClient(served);
});

afterAll(async () => {
  await served.end();
  const { stdout } = await ended(start(['env', 'list', '--json'], { HOME: home }));
  for (const { name } of JSON.parse(stdout) as { name: string }[]) {
    await ended(start(['env', 'remove', name], { HOME: home }));
  }
  await rm(home, { recursive: true });
});

describe('the REST interface of docker-executor on a real Docker Engine', () => {
  it.each(captures.map((capture) => [capture.note, capture] as const))(
    'answers as the older server: %s',
    async (note, { request, response }) => {
      const path = renamed(request.path);
      if (response.lines) return expectStream(path, response);
      const answer = await send(note, request.method, path, request.json);
      learnIds(response.body, answer.body);
      const difference = DIFFERENCES[note];
      expect(answer.status).toBe(difference?.status ?? response.status);
      if (difference?.status === undefined) {
        expect(Object.keys(answer.body).sort()).toEqual(Object.keys(response.body ?? {}).sort());
      }
      expect(answer.body).toMatchObject(difference?.body ?? comparable(response.body));
    },
  );

  it('has a difference only for calls that were recorded', () => {
    const notes = captures.map(({ note }) => note);
    expect(Object.keys(DIFFERENCES).filter((note) => !notes.includes(note))).toEqual([]);
  });

  it.each([
    ['python', 'import os, sys\nprint(os.environ["A"], os.getcwd(), sys.stdin.read())'],
    ['node', 'console.log(process.env.A, process.cwd(), require("fs").readFileSync(0, "utf8"))'],
    ['bash', 'echo "$A" "$PWD" "$(cat)"'],
    [
      'csharp',
      'using System;\nConsole.WriteLine(Environment.GetEnvironmentVariable("A") + " " + Environment.CurrentDirectory + " " + Console.In.ReadToEnd());',
    ],
  ])('runs %s with variables, a working directory and input', async (language, code) => {
    const A = `it's "$A" \\ $(id) ä`;
    const { body } = await client.send('POST', '/execute', {
      ...{ language, code, input_data: 'typed', working_directory: '/tmp', environment_variables: { A } },
    });
    expect(body).toMatchObject({ status: 'completed', stdout: `${A} /tmp typed\n`, stderr: '' });
  });

  it('ends code at its time limit', async () => {
    const { body } = await client.send('POST', '/execute', {
      ...{ language: 'bash', code: 'echo begun; sleep 60', resource_limits: { timeout_seconds: 10 } },
    });
    expect(body).toMatchObject({ status: 'timeout', stdout: 'begun\n', exit_code: 124 });
  });

  const TAKES_160_MB = 'data = bytearray(160 * 2**20)\nprint(len(data))';
  const TAKES_20_MB = TAKES_160_MB.replace('160', '20');
  const CPU_LIMIT = 'cat /sys/fs/cgroup/cpu.max 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us';

  it('ends code that takes more memory than its limit, and no other code', async () => {
    const run = async (code: string, resource_limits: object) => {
      const { body } = await client.send('POST', '/execute', { language: 'python', code, resource_limits });
      return body;
    };
    const stopped = await run(TAKES_160_MB, { memory_mb: 64 });
    expect(stopped).toMatchObject({ status: 'failed', exit_code: 137, stdout: '' });
    expect(stopped.stderr).toContain('more than the 64 MB that it may use');
    expect(await run(TAKES_20_MB, { memory_mb: 64 })).toMatchObject({ status: 'completed', exit_code: 0 });
    // The next sandbox has its own limit again.
    expect(await run(TAKES_160_MB, {})).toMatchObject({ status: 'completed', stdout: '167772160\n' });
    expect(await run(TAKES_160_MB, { memory_mb: 8192 })).toMatchObject({ status: 'completed' });
  });

  it('limits the CPU time of code, and of no other code', async () => {
    const limitOf = async (resource_limits: object) => {
      const { body } = await client.send('POST', '/execute', { language: 'bash', code: CPU_LIMIT, resource_limits });
      return parseInt(String(body.stdout), 10);
    };
    expect(await limitOf({ cpu_cores: 0.25 })).toBe(25_000);
    expect(await limitOf({})).toBe(100_000);
    // Not more than the options allow.
    expect(await limitOf({ cpu_cores: 8 })).toBe(100_000);
  });

  it('limits uploaded files and streams, too', async () => {
    const resource_limits = { memory_mb: 64 };
    const upload = { filename: 'large.py', content: TAKES_160_MB, language: 'python' };
    const { file_id } = (await client.send('POST', '/files/upload', upload)).body;
    const { body } = await client.send('POST', `/files/${file_id}/execute`, { file_id, resource_limits });
    expect(body).toMatchObject({ exit_code: 137 });
    await client.send('DELETE', `/files/${file_id}`);
    const events = await client.events(await client.start({ language: 'python', code: TAKES_160_MB, resource_limits }));
    expect(events.at(-1)).toMatchObject({ status: 'failed', response: { exit_code: 137 } });
  });

  it('streams lines as they come, to two clients at once', async () => {
    const ids = await Promise.all(
      ['a', 'b'].map((word) =>
        client.start({ language: 'bash', code: `for i in 1 2 3; do echo ${word} $i; echo e >&2; sleep 0.5; done` }),
      ),
    );
    const streams = await Promise.all(ids.map((id) => client.events(id)));
    for (const [index, events] of streams.entries()) {
      const word = index === 0 ? 'a' : 'b';
      const lines = events.flatMap(({ logs }) => logs);
      expect(lines.filter((line) => line !== 'e')).toEqual([`${word} 1`, `${word} 2`, `${word} 3`]);
      expect(lines.filter((line) => line === 'e')).toHaveLength(3);
      expect(events.length).toBeGreaterThan(2);
      expect(events.at(-1)).toMatchObject({ status: 'completed', response: { exit_code: 0, stderr: 'e\ne\ne\n' } });
    }
  });

  it('refuses a package whose name has shell text', async () => {
    for (const package_name of ['six; touch /tmp/hothouse-rest', '$(id)', '--index-url=http://127.0.0.1/', 'six; id']) {
      const args = { image_id: 'mcp-executor-test:latest', language: 'python', package_name };
      const { body } = await client.send('POST', '/packages/install', args);
      expect([package_name, body.success]).toEqual([package_name, false]);
    }
  });

  it('is gone with a server that is killed, and a new one does not know its executions', async () => {
    const killed = await serveProcess({ HOME: home });
    const victim = new RestClient(killed);
    const id = await victim.start({ language: 'bash', code: 'echo begun; sleep 600' });
    expect(await victim.firstEvent(id)).toMatchObject({ status: 'running' });
    const events = victim.events(id).catch((error: unknown) => error);
    await delay(200);
    killed.child.kill('SIGKILL');
    expect(await events).toBeInstanceOf(Error);
    expect(await client.send('GET', `/executions/${id}`)).toMatchObject({ status: 404 });
    expect(await client.send('GET', '/health')).toMatchObject({ body: { status: 'healthy' } });
  });
});

function send(note: string, method: string, path: string, json: unknown) {
  if (note === 'progress at the end') return whenEnded(path);
  if (note !== 'execute: not JSON') return client.send(method, path, json ?? undefined);
  return client.raw(method, path, {}, '{not json').then(({ status, text }) => ({ status, body: JSON.parse(text) }));
}

async function whenEnded(path: string) {
  for (;;) {
    const answer = await client.send('GET', path);
    if (answer.body.status !== 'running') return answer;
    await delay(100);
  }
}

/** The older server's streams broke, or never ended; the headers and the shape of an event are kept. */
async function expectStream(path: string, { status, headers = {} }: Captured['response']) {
  const response = await fetch(`${client.base}${path}`, { headers: client.headers });
  expect(response.status).toBe(status);
  for (const name of ['cache-control', 'content-type']) expect(response.headers.get(name)).toBe(headers[name]);
  const [, id = ''] = /executions\/([^/]+)/.exec(path) ?? [];
  const events = await client.events(id);
  if (id === 'nope') return expect(events).toEqual([{ error: 'Execution not found' }]);
  const fields = ['execution_id', 'status', 'start_time', 'end_time', 'logs', 'response', 'error'];
  expect(Object.keys(events.at(-1) ?? {})).toEqual(fields);
  return expect(events.flatMap(({ logs }) => logs)).toEqual(['line 1', 'line 2', 'line 3']);
}

function renamed(path: string): string {
  return [...ids].reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), path);
}

function learnIds(theirs: object | undefined, ours: object): void {
  for (const name of ['execution_id', 'file_id']) {
    const [recorded, own] = [theirs, ours].map((body) => (body as Record<string, unknown> | undefined)?.[name]);
    if (typeof recorded === 'string' && typeof own === 'string' && !ids.has(recorded)) ids.set(recorded, own);
  }
}

/** The same values, without those that are each machine's own. */
function comparable(value: unknown): object {
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'object' ? comparable(one) : one));
  const entries = Object.entries(value ?? {}).map(([name, one]) => {
    if (OWN_VALUES.has(name)) return [name, sameType(one)];
    return [name, typeof one === 'object' && one !== null ? comparable(one) : one];
  });
  return Object.fromEntries(entries);
}

function sameType(value: unknown): unknown {
  if (value === null) return null;
  return expect.any(Array.isArray(value) ? Array : ((value as object).constructor as new () => unknown));
}
