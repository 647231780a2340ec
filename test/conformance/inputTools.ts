import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequest,
  type InputRequests,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { description, textResult } from './texts.ts';

/** The state of a tool between rounds, which the client holds. */
interface State {
  readonly round: number;
  readonly name?: string;
}

/** Signs state and rejects unsigned state. */
export const STATES = createRequestStateCodec<State>({ key: crypto.getRandomValues(new Uint8Array(32)) });

const TEXT = { type: 'string' } as const;
const ask = (message: string, name: string, field: typeof TEXT | { readonly type: 'boolean' } = TEXT) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: field }, required: [name] },
  });
const sample = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });

const NAME = ask('What is your name?', 'name');
const CONFIRM = ask('Please confirm', 'ok', { type: 'boolean' });
const GREETING = sample('Generate a greeting', 50);
const ROOTS = inputRequired.listRoots();

/** Adds the tools that request client input in their results, as in revision 2026-07-28. */
export function addInputTools(server: McpServer): void {
  const tool = (name: string, call: Parameters<typeof addTool>[2]) => addTool(server, name, call);

  tool('test_input_required_result_elicitation', (context) => {
    const name = accepted(context, 'user_name', 'name');
    return typeof name === 'string' ? `Hello, ${name}!` : { user_name: NAME };
  });
  tool('test_input_required_result_sampling', (context) =>
    responseTo(context, 'capital_question', sample('What is the capital of France?', 100)),
  );
  tool('test_input_required_result_list_roots', (context) => responseTo(context, 'client_roots', ROOTS));
  tool('test_missing_capability', (context) => responseTo(context, 'answer', sample('Say pong', 16)));
  tool('test_input_required_result_capabilities', (context) =>
    context.mcpReq.inputResponses ? 'Everything was textResult.' : supported(context),
  );
  addStatefulTools(server);
}

function addStatefulTools(server: McpServer): void {
  for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
    addTool(server, name, ({ mcpReq }) =>
      mcpReq.requestState() && mcpReq.inputResponses ? 'state-ok' : [{ confirm: CONFIRM }, { round: 1 }],
    );
  }
  addTool(server, 'test_input_required_result_multiple_inputs', (context) => {
    const wanted = { user_name: NAME, greeting: GREETING, client_roots: ROOTS };
    const given = Object.keys(context.mcpReq.inputResponses ?? {});
    return Object.keys(wanted).every((key) => given.includes(key)) ? 'All three came.' : [wanted, { round: 1 }];
  });
  addTool(server, 'test_input_required_result_multi_round', (context) => {
    const { round, name } = context.mcpReq.requestState<State>() ?? { round: 0 };
    if (round === 0) return [{ step1: ask('Step 1: What is your name?', 'name') }, { round: 1 }];
    if (round === 2) return `${name} likes ${accepted(context, 'step2', 'color')}.`;
    const state = { round: 2, name: String(accepted(context, 'step1', 'name')) };
    return [{ step2: ask('Step 2: What is your favorite color?', 'color') }, state];
  });
}

/** A tool's next result: a text, or a request for input with the state of the next round. */
type Turn = string | InputRequests | readonly [InputRequests, State];

function addTool(server: McpServer, name: string, call: (context: ServerContext) => Turn): void {
  server.registerTool(name, { description: description(name) }, async (context) => {
    const turn = call(context);
    if (typeof turn === 'string') return textResult(turn);
    if (!isStateful(turn)) return inputRequired({ inputRequests: turn });
    return inputRequired({ inputRequests: turn[0], requestState: await STATES.mint(turn[1]) });
  });
}

function isStateful(turn: Exclude<Turn, string>): turn is readonly [InputRequests, State] {
  return Array.isArray(turn);
}

function accepted({ mcpReq }: ServerContext, key: string, field: string): unknown {
  return acceptedContent<Record<string, unknown>>(mcpReq.inputResponses, key)?.[field];
}

function responseTo({ mcpReq }: ServerContext, key: string, request: InputRequest): Turn {
  const response = mcpReq.inputResponses?.[key];
  return response === undefined ? { [key]: request } : JSON.stringify(response);
}

/** Only requests that the client supports. */
function supported({ mcpReq }: ServerContext): InputRequests {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const declared = Object.keys(envelope[CLIENT_CAPABILITIES_META_KEY] ?? {});
  return {
    ...(declared.includes('elicitation') && { user_name: NAME }),
    ...(declared.includes('sampling') && { greeting: GREETING }),
    ...(declared.includes('roots') && { client_roots: ROOTS }),
  };
}
