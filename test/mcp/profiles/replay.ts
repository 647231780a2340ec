import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';

/** One call of a capture, with the answer of the older server. */
export interface CapturedCall {
  readonly note: string;
  readonly request: {
    readonly method?: string;
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: object;
  };
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A session with an older server, as it was recorded. */
export interface Capture {
  readonly initialize: {
    readonly capabilities: { readonly extensions?: object };
    readonly serverInfo: { readonly name: string };
  };
  readonly tools: object;
  readonly resources: object;
  readonly resource_templates: { readonly error?: { readonly code: number } };
  readonly prompts: object;
  readonly calls: readonly CapturedCall[];
}

/** The capture of an older server. */
export function readCapture(profile: string): Capture {
  return JSON.parse(readFileSync(new URL(`captures/${profile}.json`, import.meta.url), 'utf8'));
}

/** Where an answer differs from the capture: the text, or a pattern of it, and why. */
export interface Difference {
  readonly text: string | RegExp;
  readonly isError?: boolean;
  readonly why: string;
}

/**
 * Checks what a client sees before its first call: names, capabilities and lists, exactly as recorded. Extensions are left
 * out: one of the older servers names one that it does not use.
 */
async function expectSameLists(client: Client, capture: Capture): Promise<void> {
  const { extensions, ...capabilities } = capture.initialize.capabilities;
  expect(client.getServerCapabilities()).toEqual(capabilities);
  expect(client.getServerVersion()?.name).toBe(capture.initialize.serverInfo.name);
  expect(await request(client, 'tools/list')).toEqual(capture.tools);
  expect(await request(client, 'resources/list')).toEqual(capture.resources);
  expect(await request(client, 'prompts/list')).toEqual(capture.prompts);
  const templates = request(client, 'resources/templates/list');
  const { error } = capture.resource_templates;
  if (error) await expect(templates).rejects.toMatchObject({ code: error.code });
  else expect(await templates).toEqual(capture.resource_templates);
}

/** Repeats recorded calls in their order, with ids and names that this server has given in place of the recorded ones. */
export class Replay {
  readonly #client: Client;
  readonly #names = new Map<string, string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Expects the recorded answer, or what differs from it. */
  async expectSame({ request: { method, ...params }, result, error }: CapturedCall, difference?: Difference) {
    const renamed = JSON.parse(this.#renamed(JSON.stringify(params)));
    const answer = request(this.#client, method ?? 'tools/call', renamed);
    if (error)
      return expect(answer).rejects.toMatchObject({
        code: error.code,
        message: expect.stringContaining(error.message),
      });
    const ours = await answer;
    this.#learnNames(textOf(result), textOf(ours));
    if (!difference)
      return expect(comparable(ours)).toEqual(comparable(JSON.parse(this.#renamed(JSON.stringify(result)))));
    expect(ours).toMatchObject({ isError: difference.isError ?? false });
    const text = comparableText(textOf(ours));
    if (typeof difference.text === 'string') return expect(text).toBe(this.#renamed(difference.text));
    return expect(text).toMatch(difference.text);
  }

  #learnNames(theirs: string, ours: string): void {
    for (const name of [/^Session ID: (\S+)/, /(code_executer-[\d-]+)/]) {
      const [, recorded] = name.exec(theirs) ?? [];
      const [, own] = name.exec(ours) ?? [];
      if (recorded && own && !this.#names.has(recorded)) this.#names.set(recorded, own);
    }
  }

  #renamed(text: string): string {
    return [...this.#names].reduce((renamed, [recorded, own]) => renamed.replaceAll(recorded, own), text);
  }
}

function request(client: Client, method: string, params: object = {}) {
  return client.request({ method, params: { ...params } } as never, ResultSchema) as Promise<Record<string, unknown>>;
}

function textOf(result: object | undefined): string {
  const { content = [] } = (result ?? {}) as { content?: { text?: string }[] };
  return content.map(({ text = '' }) => text).join('\n');
}

function comparable(result: object): object {
  return JSON.parse(comparableText(JSON.stringify(result)));
}

/** The same text with one name for all files of code: the older servers write them elsewhere, some at random. */
function comparableText(text: string): string {
  return text.replace(/File (\\?")[^"\\]*\\?", line/g, 'File $1CODE$1, line');
}

/** Tests that `client` lists and answers what the older server did, except for these differences, by the note of a call. */
export function itRepeats(
  capture: Capture,
  differences: Readonly<Record<string, Difference>>,
  client: () => Client,
): void {
  let replay: Replay | undefined;

  it('lists what the older server lists', () => expectSameLists(client(), capture));

  it.each(capture.calls.map((one) => [one.note, one] as const))(
    'answers as the older server: %s',
    async (note, one) => {
      replay ??= new Replay(client());
      await replay.expectSame(one, differences[note]);
    },
  );

  it('has a difference only for calls that were recorded', () => {
    const notes = capture.calls.map(({ note }) => note);
    expect(Object.keys(differences).filter((note) => !notes.includes(note))).toEqual([]);
  });
}
