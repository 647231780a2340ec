import { describe, expect, it } from 'vitest';
import { HostError } from '../../src/host/host.ts';
import { containerSpec } from '../../src/host/spec.ts';
import { encodeFrame, FrameType } from '../../src/protocol/frames.ts';
import { bootSandbox } from '../../src/sandbox/boot.ts';
import { FakeHost } from '../host/fakeHost.ts';
import { LIMITS, runCell } from '../languages/python/harness.ts';
import { python } from '../languages/python/language.ts';

/** Payloads that no reader of the agent's frames can take. */
const PAYLOADS = { empty: '', 'no JSON': '{', 'another shape': '{"code": "x"}', 'a number': '7', binary: '\xff\x00' };
const TYPES = {
  ready: FrameType.ready,
  event: FrameType.event,
  exit: FrameType.exit,
  reply: FrameType.reply,
  answer: FrameType.answer,
  report: FrameType.report,
} as const;

const CASES = Object.entries(TYPES).flatMap(([type, number]) =>
  Object.entries(PAYLOADS).map(([payload, text]) => [type, payload, number, text] as const),
);

describe('row 48: a malformed frame', () => {
  it.each(CASES)('of type %s, %s, ends every pending call with an answer', async (_, __, type, text) => {
    const host = new FakeHost({});
    const spec = containerSpec('hothouse/python:latest', LIMITS, {});
    const terms = { outputBytes: 1_000, eventBytes: 10_000, events: 100 };
    const sandbox = await bootSandbox(host, { spec, agent: Buffer.from('00000004pass'), ...terms });
    if (sandbox instanceof HostError) throw sandbox;
    const running = [
      runCell(python.open(sandbox, { once: true }), 'hang'),
      runCell(python.open(sandbox, { once: false }), 'hang'),
    ];
    const asked = sandbox
      .request({ op: 'signal', channel: 99, signal: 'SIGINT' })
      .catch((error: Error) => error.message);
    await asked;
    const container = host.containers.get(sandbox.id);
    const late = sandbox.measure().catch((error: Error) => error.message);
    container?.stdout.push(encodeFrame(type, 1, Buffer.from(text, 'latin1')));
    // All of them lack what the agent itself writes. Invalid event lines may be user code's and are dropped.
    await Promise.all([...running, late]);
    expect(await sandbox.lost).toMatchObject({ reason: expect.stringContaining('broke the protocol') });
  });
});
