import { expect, onTestFinished } from 'vitest';
import type { LeanDocument, SettledVersion } from '../../../../src/languages/lean/lsp/document.ts';
import { LeanServer } from '../../../../src/languages/lean/lsp/server.ts';
import { isObject, type ScriptLine, URI } from './script.ts';
import { type Delivery, ScriptedServer } from './scriptedServer.ts';

/** A started client and its scripted server. */
export interface Driven {
  readonly server: LeanServer;
  readonly peer: ScriptedServer;
}

/** Starts a client on a script; the server ends with the test. */
export async function drive(script: readonly ScriptLine[], delivery: Delivery = {}): Promise<Driven> {
  const peer = new ScriptedServer(script, delivery);
  const started = await LeanServer.start(peer);
  if (started.kind !== 'started') throw new Error(`not started: ${JSON.stringify(started)}`);
  onTestFinished(() => started.server.kill());
  return { server: started.server, peer };
}

/** Starts a client on a script and opens a document. */
export async function driveDocument(
  script: readonly ScriptLine[],
  text: string,
  delivery: Delivery = {},
): Promise<Driven & { readonly document: LeanDocument }> {
  const driven = await drive(script, delivery);
  return { ...driven, document: driven.server.open({ uri: URI, text }) };
}

/** The settled version; fails the test for any other outcome. */
export async function settled(document: LeanDocument): Promise<SettledVersion> {
  const end = await document.settled();
  expect(end).toMatchObject({ kind: 'settled', version: document.version });
  if (end.kind !== 'settled') throw new Error(end.kind);
  return end;
}

/** Adds `text` at the end of the document. */
export function append(document: LeanDocument, text: string): void {
  document.replaceFrom(document.text.length, text);
}

/** Severity, first line and text of each diagnostic. */
export function briefly({ diagnostics }: Pick<SettledVersion, 'diagnostics'>): string[] {
  return diagnostics.map(({ severity, range, message }) => `${severity} ${range.start.line} ${message}`);
}

/** Waits until everything in transit has arrived. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The last diagnostics that a script publishes of each version. */
export function lastPublished(script: readonly ScriptLine[]): Map<unknown, unknown> {
  const last = new Map<unknown, unknown>();
  for (const { message } of script) {
    const { method, params } = message;
    if (method === 'textDocument/publishDiagnostics' && isObject(params)) last.set(params.version, params.diagnostics);
  }
  return last;
}
