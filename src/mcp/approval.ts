import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Key of the question in an input-required result and in the answers to it. */
const KEY = 'approval';
const Answer = z.looseObject({ action: z.enum(['accept', 'decline', 'cancel']) });

/** The answer of the client's user: `unable` when the client cannot ask. */
export type Approval = 'agreed' | 'declined' | 'unable';

/** Thrown to ask the client's user; the client then repeats the call with the answer. */
export class ApprovalNeeded extends Error {
  constructor(readonly question: string) {
    super(question);
  }

  /** What the call returns instead of a result. */
  toResult(): InputRequiredResult {
    const message = this.question;
    return inputRequired({
      inputRequests: {
        [KEY]: inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } }),
      },
    });
  }
}

/**
 * Asks the user of a call's client. Throws `ApprovalNeeded` the first time. `known` are the capabilities of a client that
 * has opened an MCP session.
 */
export function approve({ mcpReq }: ServerContext, known: ClientCapabilities | undefined, question: string): Approval {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const capabilities = (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? known;
  const elicitation: object | undefined = capabilities?.elicitation;
  // A client that names no mode asks by forms.
  if (!elicitation || ('url' in elicitation && !('form' in elicitation))) return 'unable';
  const answer = Answer.safeParse(mcpReq.inputResponses?.[KEY]);
  if (!answer.success) throw new ApprovalNeeded(question);
  return answer.data.action === 'accept' ? 'agreed' : 'declined';
}
