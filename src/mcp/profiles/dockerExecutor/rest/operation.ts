import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Engine, Owner } from '../../../../engine/types.ts';
import type { ProfileCall } from '../../profile.ts';
import { Executor } from '../executor.ts';
import { Uploads } from '../uploads.ts';
import { Executions } from './executions.ts';
import type { REQUESTS, Requests, SCHEMAS } from './schemas.ts';

/** What one client of the REST interface works with. */
export class Workspace {
  readonly engine: Engine;
  readonly owner: Owner;
  readonly executor: Executor;
  readonly uploads = new Uploads();
  readonly executions = new Executions();

  constructor(engine: Engine, owner: Owner) {
    this.engine = engine;
    this.owner = owner;
    this.executor = new Executor(engine);
  }

  /** The context of a call whose output `onOutput` gets. */
  call(signal: AbortSignal, onOutput: ProfileCall['onOutput'] = () => {}): ProfileCall {
    return { owner: this.owner, signal, onOutput };
  }
}

/** One request of an operation; `body` has passed the operation's schema. */
export interface OperationCall<Body> {
  readonly workspace: Workspace;
  readonly body: Body;
  /** The id in the address, or an empty text. */
  readonly id: string;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A JSON answer; null when the operation has answered itself. */
export type OperationAnswer = { readonly status?: number; readonly body: object } | null;

type Handler<Body> = (call: OperationCall<Body>) => Promise<OperationAnswer>;

/** An operation as the OpenAPI description lists it, with its handler. */
export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** With at most one parameter in braces. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly request: keyof typeof REQUESTS | null;
  readonly response: keyof typeof SCHEMAS | null;
  readonly handle: Handler<unknown>;
}

type Facts<Name> = Omit<Operation, 'handle' | 'request'> & { readonly request: Name };

/** An operation whose request has a body. */
export function withBody<Name extends keyof Requests>(facts: Facts<Name>, handle: Handler<Requests[Name]>): Operation {
  return { ...facts, handle: handle as Handler<unknown> };
}

/** An operation whose request has no body. */
export function withoutBody(facts: Omit<Facts<null>, 'request'>, handle: Handler<unknown>): Operation {
  return { ...facts, request: null, handle };
}

/** An answer that something is not there. */
export function notFound(what: string): OperationAnswer {
  return { status: 404, body: { detail: `${what} not found` } };
}
