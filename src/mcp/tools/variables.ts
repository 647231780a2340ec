import { z } from 'zod';
import { formatList } from '../../base/list.ts';
import { type LanguageDefinition, MAX_VARIABLE_TEXT, MAX_VARIABLES } from '../../languages/languageDefinition.ts';
import { defineTool, failure, refused, success, type Tool } from '../tool.ts';

// User code wrote the session, and with it what prints this.
const Found = z.array(z.tuple([z.string(), z.string(), z.string().nullable()])).max(MAX_VARIABLES);

/** `session_variables`. */
export function sessionVariables(languages: readonly LanguageDefinition[]): Tool {
  const able = languages.filter(({ variablesCode }) => variablesCode !== undefined);
  const names = formatList(
    able.map(({ displayName }) => displayName),
    'and',
  );
  return defineTool({
    name: 'session_variables',
    title: 'Session Variables',
    description: `Lists the variables of a session with their types. It has values of simple types and sizes of others, at most ${MAX_VARIABLES}. Sessions of ${names} can be asked. A copy of the session is asked; the session itself does not change.`,
    annotations: { readOnlyHint: true, openWorldHint: false },
    hasView: true,
    input: z.strictObject({ session_id: z.string().describe('From open_session or list_sessions.') }),
    output: z.strictObject({
      session_id: z.string(),
      variables: z.array(
        z.strictObject({ name: z.string(), type: z.string(), value: z.string().optional().describe('Or its size.') }),
      ),
    }),
    async call({ session_id }, { engine, signal }) {
      const session = engine.snapshot().sessions.find(({ id }) => id === session_id);
      const code = able.find(({ id }) => id === session?.language)?.variablesCode;
      if (session && code === undefined) return failure(`Argument "session_id" must be a session of ${names}.`);
      const tried = await engine.tryCode(session_id, [{ code: code ?? '' }], { timeoutSeconds: 10 }, signal);
      if (!tried.ok) return refused(tried.error);
      const variables = parsed(tried.value.candidates[0]?.result.stdout ?? '');
      if (!variables) return failure(`The variables of session ${session_id} cannot be listed.`);
      const lines = variables.map(
        ({ name, type, value }) => `${name}: ${type}${value === undefined ? '' : ` = ${value}`}`,
      );
      return success({ session_id, variables }, lines.join('\n') || 'There are no variables.');
    },
  });
}

function parsed(text: string) {
  try {
    // Functions that the session has registered for each cell may print too.
    const line = text.split('\n').findLast((one) => one.startsWith('['));
    const found = Found.safeParse(JSON.parse(line ?? ''));
    return found.data?.map(([name, type, value]) => ({
      ...{ name: name.slice(0, MAX_VARIABLE_TEXT), type: type.slice(0, MAX_VARIABLE_TEXT) },
      ...(value !== null && { value: value.slice(0, MAX_VARIABLE_TEXT) }),
    }));
  } catch {
    return undefined;
  }
}
