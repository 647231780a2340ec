/** The revisions of MCP that the suite is run for, each over its own kind of connection. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

const NO_TASKS =
  'The extension io.modelcontextprotocol/tasks is optional and not offered: a call streams its progress.';
const NO_RESUMPTION =
  'Streams cannot be resumed: a connection that breaks cancels its call, so that no run outlives its caller.';

/** Scenarios of the suite that do not apply to the server, and why. All others must pass on the suite's fixtures. */
export const NOT_APPLICABLE: Readonly<Record<Revision, Readonly<Record<string, string>>>> = {
  '2025-11-25': { 'server-sse-polling': NO_RESUMPTION },
  '2026-07-28': {
    'tasks-lifecycle': NO_TASKS,
    'tasks-capability-negotiation': NO_TASKS,
    'tasks-wire-fields': NO_TASKS,
    'tasks-request-state-removal': NO_TASKS,
    'tasks-mrtr-input': NO_TASKS,
    'tasks-request-headers': NO_TASKS,
    'tasks-dispatch-and-envelope': NO_TASKS,
    'tasks-status-notifications': NO_TASKS,
    'tasks-required-task-error': NO_TASKS,
    'tasks-mrtr-composition': NO_TASKS,
  },
};

/**
 * Scenarios that need no fixture and so must pass on the product's own tools too. It offers tools alone: what is about
 * resources, prompts, completions, logging, forms and sampling does not apply to it.
 */
export const ON_PRODUCT: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'input-required-result-unsupported-methods',
    'http-header-validation',
  ],
};
