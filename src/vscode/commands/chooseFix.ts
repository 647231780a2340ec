import type { EngineProblem } from '../../engine/types.ts';
import type { EditorLanguage } from '../languages.ts';

/** A step that fixes a problem; `label` is the title of its button. */
export type Fix = { readonly label: string } & (
  | { readonly kind: 'build' | 'build_proxy' | 'install_docs' | 'retry' }
  | { readonly kind: 'terminal'; readonly command: string }
  | { readonly kind: 'setting'; readonly key: string }
);

/** The command of the problem that has this fix. */
const BUILD_PROXY = 'hothouse build proxy';

const SETTINGS: Readonly<Partial<Record<EngineProblem['kind'], string>>> = {
  needs_engine: 'hothouse.host.kind',
  runtime_unknown: 'hothouse.docker.runtime',
  spec_refused: 'hothouse.limits',
  no_memory: 'hothouse.pool.size',
};

/**
 * The kind of problem to show help for: Hothouse cannot build a missing image of another name, so that counts as
 * unusable.
 */
export function helpKind({ kind, command }: EngineProblem): EngineProblem['kind'] {
  return kind === 'image_missing' && command === undefined ? 'image_unusable' : kind;
}

/** The fix for a problem of a language; `hostSet`: whether the settings name Docker's address. */
export function chooseFix(problem: EngineProblem, { imageSetting }: EditorLanguage, hostSet: boolean): Fix {
  const { command } = problem;
  const kind = helpKind(problem);
  const key = hostSet && isAddressProblem(kind) ? 'hothouse.docker.host' : settingOf(kind, imageSetting);
  if (key !== undefined) return { kind: 'setting', label: 'Open Setting', key };
  if (command === BUILD_PROXY) return { kind: 'build_proxy', label: 'Build Proxy' };
  if (kind === 'image_missing' || kind === 'build_failed') return { kind: 'build', label: 'Build Environment' };
  if (command !== undefined) return { kind: 'terminal', label: 'Open in Terminal', command };
  if (kind === 'host_missing' || kind === 'host_too_old') return { kind: 'install_docs', label: 'Installation Guide' };
  return { kind: 'retry', label: 'Retry' };
}

function settingOf(kind: EngineProblem['kind'], imageSetting: string): string | undefined {
  return kind === 'image_unusable' ? imageSetting : SETTINGS[kind];
}

function isAddressProblem(kind: EngineProblem['kind']): boolean {
  return kind === 'host_missing' || kind === 'host_stopped';
}
