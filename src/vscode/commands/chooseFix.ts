import type { EngineProblem } from '../../engine/types.ts';
import type { EditorLanguage } from '../languages.ts';

/** The one thing that mends a problem. */
export type Fix = { readonly label: string } & (
  | { readonly kind: 'build' | 'install_docs' | 'retry' }
  | { readonly kind: 'terminal'; readonly command: string }
  | { readonly kind: 'setting'; readonly key: string }
);

const SETTINGS: Readonly<Partial<Record<EngineProblem['kind'], string>>> = {
  runtime_unknown: 'hothouse.docker.runtime',
  spec_refused: 'hothouse.limits',
  no_memory: 'hothouse.pool.size',
};

/** The kind of problem that help is offered for: an image that is missing and not ours to build can only be named otherwise. */
export function helpKind({ kind, command }: EngineProblem): EngineProblem['kind'] {
  return kind === 'image_missing' && command === undefined ? 'image_unusable' : kind;
}

/** What mends a problem met with a language, by its kind; `hostSet` says that the user's settings name the engine. */
export function chooseFix(problem: EngineProblem, { imageSetting }: EditorLanguage, hostSet: boolean): Fix {
  const { command } = problem;
  const kind = helpKind(problem);
  const key = hostSet && isAddressProblem(kind) ? 'hothouse.docker.host' : settingOf(kind, imageSetting);
  if (key !== undefined) return { kind: 'setting', label: 'Open Setting', key };
  if (kind === 'image_missing' || kind === 'build_failed') return { kind: 'build', label: 'Build Environment' };
  if (command !== undefined) return { kind: 'terminal', label: 'Open in Terminal', command };
  if (kind === 'engine_missing' || kind === 'engine_too_old') return { kind: 'install_docs', label: 'How to Install' };
  return { kind: 'retry', label: 'Retry' };
}

function settingOf(kind: EngineProblem['kind'], imageSetting: string): string | undefined {
  return kind === 'image_unusable' ? imageSetting : SETTINGS[kind];
}

function isAddressProblem(kind: EngineProblem['kind']): boolean {
  return kind === 'engine_missing' || kind === 'engine_stopped';
}
