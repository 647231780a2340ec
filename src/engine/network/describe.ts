import type { NetworkInfo } from '../types.ts';
import type { NetworkDecision } from './networkLog.ts';

/** The policy that holds, for people: `allow: example.org, *.example.com`. */
export function formatPolicy({ policy, allow }: Pick<NetworkInfo, 'policy' | 'allow'>): string {
  switch (policy) {
    case 'none':
      return 'none: sandboxes reach nothing; what installs packages reaches what their host reaches';
    case 'packages':
      return 'packages: sandboxes reach nothing; what installs packages reaches its registries through a proxy';
    case 'allow':
      return `allow: sandboxes reach ${allow.join(', ') || 'no host'} through a proxy`;
    case 'full':
      return 'full: sandboxes reach whatever their host reaches';
  }
}

const REASONS: Readonly<Record<NonNullable<NetworkDecision['denied']>, string>> = {
  host: 'not an allowed host',
  port: 'not at this port',
  address: 'its address is not public',
  request: 'not a request that the proxy serves',
};

/** What was decided, for people: `denied, not an allowed host` or `allowed`. */
export function formatDecision({ denied }: Pick<NetworkDecision, 'denied'>): string {
  return denied === null ? 'allowed' : `denied, ${REASONS[denied]}`;
}
