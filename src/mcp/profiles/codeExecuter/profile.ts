import type { Engine, RunResult } from '../../../engine/types.ts';
import { laxArguments } from '../arguments/laxArguments.ts';
import { modelErrors } from '../arguments/modelErrors.ts';
import { type CheckArguments, validated } from '../arguments/validated.ts';
import { problemText } from '../dockerMcp.ts';
import { invalidArguments, type Profile, type ProfileTools, type ToolAnswer } from '../profile.ts';
import { Executers } from './executers.ts';
import { TOOLS } from './tools.ts';

/** Containerized Code Executer: one Python session at a time, with packages. */
export const codeExecuter: Profile = {
  id: 'code-executer',
  serverName: 'Code Execution Service',
  capabilities: {
    experimental: {},
    logging: {},
    prompts: { listChanged: false },
    resources: { subscribe: false, listChanged: false },
    tools: { listChanged: true },
  },
  tools: TOOLS,
  prompts: [
    {
      listed: {
        name: 'math_evaluation',
        title: 'Mathematics Solver',
        arguments: [{ name: 'expression', description: 'The mathematical expression', required: true }],
        _meta: { fastmcp: { tags: [] } },
      },
      text: ({ expression }) =>
        `Evaluate this mathematical expression using python code execution and SymPy library. Use SymPy for all advanced computations.\nExpression:\n${expression}`,
    },
  ],
  listsTemplates: true,
  unknownTool: (name) => invalidArguments(`Unknown tool: '${name}'`).result,
  errors: {
    resource: (uri) => `Unknown resource: '${uri}'`,
    prompt: (name) => `Unknown prompt: '${name}'`,
  },
  open: (engine) => validated(TOOLS, executerTools(engine), checkArguments, laxArguments),
};

const NOT_CONNECTED = 'Failed to connect to the code execution service.';

function executerTools(engine: Engine): ProfileTools {
  const executers = new Executers(engine);
  return {
    async start_code_executer({ dependencies = [] }, call) {
      const started = await executers.start(dependencies as readonly string[], call);
      if (!started.ok)
        return invalidArguments(`Error calling tool 'start_code_executer': ${problemText(started.error)}`);
      return wrapped(`Code execution service started with the name: ${started.value}`);
    },

    async execute_code({ code }, call) {
      const sessionId = executers.session;
      if (sessionId === null) return wrapped(NOT_CONNECTED);
      const command = String(code).trim();
      if (command === '') return wrapped('');
      if (command === 'exit') return wrapped('Goodbye!');
      if (command === 'clear') {
        const cleared = await engine.restartSession(sessionId);
        return cleared.ok ? wrapped('Globals cleared') : wrapped(problemText(cleared.error), true);
      }
      const request = { language: 'python', code: String(code), sessionId, owner: call.owner };
      const run = await engine.run(request, call.onOutput, call.signal);
      return run.status === 'ok' ? wrapped(run.stdout + resultOf(run)) : wrapped(errorText(run), true);
    },

    async stop_code_executer({ name, delete_service = true }) {
      const stopped = await executers.stop(String(name), delete_service === true);
      return wrapped(stopped ? 'Code execution service stopped.' : 'Code execution service isII  not running.');
    },

    async reuse_code_executer({ name }, call) {
      const reused = await executers.reuse(String(name), call);
      if (!reused) return wrapped('Code execution service is not running.');
      return reused.ok ? wrapped('Code execution service restarted.') : wrapped(problemText(reused.error), true);
    },
  };
}

function resultOf({ result }: RunResult): string {
  return String(result?.['text/plain'] ?? '');
}

/** The traceback; the older server leaves out what was printed before it. */
function errorText({ error, stdout, status }: RunResult): string {
  const text = `Error: ${error?.traceback || error?.message || status}`;
  return stdout === '' ? text : `${text}\nOutput before the error:\n${stdout}`;
}

function wrapped(result: string, failed = false): ToolAnswer {
  return {
    result: {
      _meta: { fastmcp: { wrap_result: true } },
      content: [{ type: 'text', text: result }],
      structuredContent: { result },
      isError: false,
    },
    failed,
  };
}

const checkArguments: CheckArguments = (tool, schema, args) => {
  const missing = ['Missing required argument', 'missing_argument'] as const;
  const errors = modelErrors(schema, args, { title: `call[${tool}]`, missing, isStrict: true });
  return errors === null ? null : invalidArguments(errors);
};
