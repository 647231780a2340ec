/** The MCP revisions that the suite tests. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

const NO_CHECKS = 'The suite checks nothing in it yet; the product sends no status notifications.';
const NO_RESUMPTION =
  'Streams cannot be resumed: a broken connection cancels its call, so that no run outlives its caller.';

/** Scenarios that do not apply to the server, with the reason. All others must pass with the fixtures. */
export const NOT_APPLICABLE: Readonly<Record<Revision, Readonly<Record<string, string>>>> = {
  '2025-11-25': { 'server-sse-polling': NO_RESUMPTION },
  '2026-07-28': {
    'tasks-status-notifications': NO_CHECKS,
  },
};

/**
 * Scenarios without fixtures, which must pass on the product too. Most others name tools, resources or prompts of their own,
 * which the product does not have.
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
