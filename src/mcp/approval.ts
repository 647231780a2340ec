import { createHash } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

const Answer = z.looseObject({ action: z.enum(['accept', 'decline', 'cancel']) });

/** The answer of the client's user: `unable` when the client cannot ask. */
export type Approval = 'agreed' | 'declined' | 'unable';

/** Asks the client's user, through `ask` when the call is a task that its client polls. */
export type Approve = (
  question: string,
  ask?: (request: InputRequests[string]) => Promise<unknown>,
) => Promise<Approval>;

/** Thrown to ask the client's user; the client then repeats the call with the answer. */
export class ApprovalNeeded extends Error {
  constructor(readonly question: string) {
    super(question);
  }

  /** What the call returns instead of a result. */
  toResult(): InputRequiredResult {
    return inputRequired({ inputRequests: { [keyOf(this.question)]: formFor(this.question) } });
  }
}

/**
 * Key of a question in an input-required result and in the answers to it. It is of the question alone: the answer to another
 * one, as after a change of the arguments, is none.
 */
function keyOf(question: string): string {
  return `approval-${createHash('sha256').update(question).digest('hex').slice(0, 16)}`;
}

/** A form without fields, which a user accepts or declines. */
function formFor(message: string) {
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } });
}

/**
 * Asks the user of a call's client. Rejects with `ApprovalNeeded` the first time. `known` are the capabilities of a client that
 * has opened an MCP session.
 */
export async function approve(
  { mcpReq }: ServerContext,
  known: ClientCapabilities | undefined,
  ...[question, ask]: Parameters<Approve>
): Promise<Approval> {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const capabilities = (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? known;
  const elicitation: object | undefined = capabilities?.elicitation;
  // A client that names no mode asks by forms.
  if (!elicitation || ('url' in elicitation && !('form' in elicitation))) return 'unable';
  const given: unknown = ask ? await ask(formFor(question)) : mcpReq.inputResponses?.[keyOf(question)];
  const answer = Answer.safeParse(given);
  if (answer.success) return answer.data.action === 'accept' ? 'agreed' : 'declined';
  if (ask) return 'declined';
  throw new ApprovalNeeded(question);
}
