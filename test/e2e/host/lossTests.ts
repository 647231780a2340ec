import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { NotebookDocument } from 'vscode';
import { test, until } from './harness.ts';
import { callTool, shareActive } from './mcpTests.ts';
import { newNotebook, runCell } from './notebook.ts';
import { ERROR, outputsOf, STDERR, textOf } from './outputs.ts';

/** Tests of sessions that are lost while none of their cells runs. */
export function lossTests(): void {
  test('the next cell shows that the container of its session was removed', async () => {
    const notebook = await newNotebook();
    const mark = `mark-of-process-${process.pid}`;
    await runCell(notebook, `kept = 1\nopen("${mark}", "w").close()`);
    await shareActive();
    docker('rm', '--force', containerWith(mark));
    await endedFor(/its sandbox was lost/);
    await nextCellShows(notebook, 'its sandbox was lost');
  });

  test('the next cell shows that the interpreter of its session exited', async () => {
    const notebook = await newNotebook();
    await runCell(notebook, 'kept = 1\nimport os, threading\nthreading.Timer(1, os._exit, [3]).start()');
    await shareActive();
    await endedFor(/its interpreter left with exit status 3/);
    await nextCellShows(notebook, 'its interpreter left with exit status 3');
  });

  test('the next cell shows that an agent closed its session', async () => {
    const notebook = await newNotebook();
    await runCell(notebook, 'kept = 1');
    await shareActive();
    const listed = await callTool('list_sessions', {});
    const ids = [...listed.matchAll(/"session_id":\s*"([^"]+)"/g)].map(([, id]) => id);
    await callTool('close_session', { session_id: ids.at(-1) });
    await nextCellShows(notebook, 'it was closed');
  });
}

async function endedFor(reason: RegExp): Promise<void> {
  await until('the end of the session', async () => {
    const listed = await callTool('list_sessions', {});
    return /"ended"/.test(listed) && reason.test(listed);
  });
}

/** The notice is the first output of the cell, and the cell after it has none. */
async function nextCellShows(notebook: NotebookDocument, reason: string): Promise<void> {
  const next = await runCell(notebook, 'kept');
  const [first, second] = (outputsOf(next)[0]?.[STDERR] ?? '').split('\n');
  assert.ok(first?.startsWith(`The previous session ended: ${reason}`), first);
  assert.equal(second, 'Its variables are lost. This cell runs in a new session.');
  assert.match(textOf(next, ERROR), /NameError/);
  assert.equal(next.executionSummary?.executionOrder, 1);
  assert.deepEqual(outputsOf(await runCell(notebook, '6 * 7')), [{ 'text/plain': '42' }]);
}

/** The sandbox's container that has a file in its workspace. */
function containerWith(file: string): string {
  const ids = docker('ps', '--no-trunc', '--quiet', '--filter', 'label=dev.hothouse.managed').split('\n');
  const found = ids
    .filter(Boolean)
    .find((id) => succeeds(() => docker('exec', id, 'test', '-e', `/workspace/${file}`)));
  assert.ok(found, 'the session’s container');
  return found;
}

function docker(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
