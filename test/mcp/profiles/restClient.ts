import { request } from 'node:http';

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An event of a stream. */
export interface StreamEvent {
  readonly status?: string;
  readonly logs: readonly string[];
  readonly response?: object | null;
  readonly error?: string | null;
}

/** A client of the REST interface of `hothouse serve`. */
export class RestClient {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ url, token }: { readonly url: string; readonly token: string }) {
    this.base = new URL('/docker-executor', url).href;
    this.headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  }

  async send(method: string, path: string, json?: unknown, signal?: AbortSignal): Promise<Answer> {
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const { headers } = this;
    const response = await fetch(`${this.base}${path}`, { method, headers, ...body, ...(signal && { signal }) });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  /** A request as it is, also with headers that `fetch` does not send. */
  raw(method: string, path: string, more: Readonly<Record<string, string>>, body = '') {
    return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const headers = { ...this.headers, ...more };
      const sent = request(`${this.base}${path}`, { method, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Starts a streamed execution; its id. */
  async start(execution: object): Promise<string> {
    return String((await this.send('POST', '/execute/stream', execution)).body.execution_id);
  }

  /** All events of a stream, until the server ends it. */
  async events(id: string, headers: Readonly<Record<string, string>> = {}): Promise<StreamEvent[]> {
    const response = await this.#stream(id, headers);
    return eventsOf(await response.text());
  }

  /** Leaves a stream after its first event. */
  async firstEvent(id: string): Promise<StreamEvent | undefined> {
    const left = new AbortController();
    const reader = (await this.#stream(id, {}, left.signal)).body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    left.abort();
    return eventsOf(new TextDecoder().decode(value))[0];
  }

  #stream(id: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
    const init = { headers: { ...this.headers, ...headers }, ...(signal && { signal }) };
    return fetch(`${this.base}/executions/${id}/stream`, init);
  }
}

function eventsOf(text: string): StreamEvent[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as StreamEvent);
}
