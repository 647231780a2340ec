import type { PackageManager } from '../../languages/languageDefinition.ts';
import type { Options } from '../options.ts';
import type { EngineProblem } from '../types.ts';
import { packageName } from './packageName.ts';
import type { InstallRequest } from './types.ts';

/** Why these packages are not installed for that owner; null when they are. People decide for themselves. */
export function policyProblem(
  { owner, packages, files = [], isApproved = false }: InstallRequest,
  manager: PackageManager,
  { agents, allowed }: Options['packages'],
): EngineProblem | null {
  if (owner.kind !== 'mcp' || agents === 'allow') return null;
  if (agents === 'deny') return denied();
  const names = new Set(allowed.map((entry) => packageName(manager, entry)));
  const others = packages.filter((entry) => !names.has(packageName(manager, entry)));
  if (isApproved || (others.length === 0 && files.length === 0)) return null;
  return needsApproval([...others, ...files]);
}

function denied(): EngineProblem {
  return {
    kind: 'invalid_request',
    message: 'Agents may not install packages: the option packages.agents is deny.',
    advice: 'Use what the environment has, or ask the user to install it.',
  };
}

function needsApproval(entries: readonly string[]): EngineProblem {
  return {
    kind: 'needs_approval',
    message: `Installing ${entries.join(', ')} needs the agreement of the user, who has not given it.`,
    advice:
      'Call install_packages, which asks the user if the client can. Or ask the user to name the packages in the option packages.allowed, or to set the option packages.agents to allow.',
  };
}
