import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { ProblemKind } from '../../src/host/problem.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { chooseFix } from '../../src/vscode/commands/chooseFix.ts';
import { editorLanguage } from '../../src/vscode/languages.ts';

const KINDS: readonly ProblemKind[] = [
  'host_missing',
  'host_stopped',
  'host_hung',
  'host_too_old',
  'permission_denied',
  'image_missing',
  'image_unusable',
  'needs_engine',
  'disk_full',
  'no_memory',
  'runtime_unknown',
  'spec_refused',
  'build_failed',
  'cancelled',
  'host_failed',
];

const [python, lean] = [editorLanguage('python'), editorLanguage('lean')];

describe('chooseFix', () => {
  const problem = (kind: ProblemKind, command?: string) => ({
    kind,
    message: 'm',
    advice: 'a',
    ...(command !== undefined && { command }),
  });

  it('opens the command of a problem in a terminal', () => {
    expect(chooseFix(problem('host_stopped', 'sudo systemctl start docker'), python, false)).toMatchObject({
      kind: 'terminal',
      command: 'sudo systemctl start docker',
    });
  });

  it("opens the setting when the settings name Docker's address", () => {
    expect(chooseFix(problem('host_stopped', 'service docker start'), python, true)).toMatchObject({
      kind: 'setting',
      key: 'hothouse.docker.host',
    });
  });

  it('opens the image setting when Hothouse cannot build the missing image', () => {
    expect(chooseFix(problem('image_missing'), lean, false)).toMatchObject({
      kind: 'setting',
      key: 'hothouse.lean.image',
    });
  });

  it('opens the setting of the host for what only a container engine builds', () => {
    expect(chooseFix(problem('needs_engine'), lean, true)).toMatchObject({
      kind: 'setting',
      key: 'hothouse.host.kind',
    });
  });

  it('builds a missing image in VS Code, not in a terminal', () => {
    expect(chooseFix(problem('image_missing', 'hothouse build python'), python, false).kind).toBe('build');
  });

  it("opens the image setting of the problem's language", () => {
    expect(chooseFix(problem('image_unusable'), lean, false)).toMatchObject({ key: 'hothouse.lean.image' });
    expect(chooseFix(problem('image_unusable'), python, false)).toMatchObject({ key: 'hothouse.python.image' });
  });

  it('opens only settings that exist', () => {
    const keys = packageJson.contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
    for (const kind of KINDS) {
      for (const language of [python, lean]) {
        const fix = chooseFix(problem(kind), language, true);
        if (fix.kind !== 'setting') continue;
        const { key } = fix;
        expect(keys.filter((known) => known.startsWith(key)).length, key).toBeGreaterThan(0);
      }
    }
  });
});

describe('the welcome view', () => {
  const shownFor = (state: State) => packageJson.contributes.viewsWelcome.filter(({ when }) => holds(when, state));

  it('shows one text with one button for every problem, and a button for each language without a problem', () => {
    for (const kind of ['', ...KINDS]) {
      for (const [hostSet, isLocal] of [
        [true, false],
        [false, false],
        [false, true],
      ] as const) {
        const shown = shownFor({ kind, hostSet, isLocal, runtime: 'runc' });
        expect(
          shown.map(({ when }) => when),
          `${kind} ${hostSet} ${isLocal}`,
        ).toHaveLength(1);
        expect(buttonsOf(shown), kind).toHaveLength(kind === '' ? LANGUAGES.length : 1);
      }
    }
  });

  it('offers without a container engine the languages that can run there', () => {
    const shown = shownFor({ kind: '', hostSet: false, isLocal: false, runtime: 'bubblewrap' });
    const languages = LANGUAGES.filter(({ id }) => existsSync(`images/${id}/local`));
    expect(shown).toHaveLength(1);
    expect(buttonsOf(shown)).toEqual(languages.map(({ id }) => editorLanguage(id).commands.newSession));
    const links = [...(shown[0]?.contents.matchAll(/\(command:(hothouse\.build\w+)\)/g) ?? [])].map(([, link]) => link);
    expect(links).toEqual(languages.slice(1).map(({ id }) => editorLanguage(id).commands.build));
  });

  /** The commands of its buttons: links that are alone in their line. */
  function buttonsOf(shown: readonly { readonly contents: string }[]) {
    return [...(shown[0]?.contents.matchAll(/^\[[^\]]+\]\(command:([\w.]+)\)$/gm) ?? [])].map(([, command]) => command);
  }
});

/** What the when clauses of our welcome views look at. */
interface State {
  readonly kind: string;
  readonly hostSet: boolean;
  readonly isLocal: boolean;
  readonly runtime: string;
}

/** Evaluates the kinds of when clauses that our welcome views use. */
function holds(when: string, state: State): boolean {
  return when.split(' && ').every((term) => {
    const negated = term.startsWith('!');
    const inner = term.replace(/^!\(?|\)$/g, '');
    return negated !== termHolds(inner, state);
  });
}

function termHolds(term: string, { kind, hostSet, isLocal, runtime }: State): boolean {
  if (term === 'config.hothouse.docker.host') return hostSet;
  const [, equality] = /^config\.hothouse\.host\.kind (==|!=) local$/.exec(term) ?? [];
  if (equality) return (equality === '==') === isLocal;
  const [, ofRuntime] = /^hothouse\.runtime (==|!=) bubblewrap$/.exec(term) ?? [];
  if (ofRuntime) return (ofRuntime === '==') === (runtime === 'bubblewrap');
  if (term === 'hothouse.problem') return kind !== '';
  const [, operator, operand = ''] = /^hothouse\.problem (==|=~) (.*)$/.exec(term) ?? [];
  if (operator === '==') return kind === operand;
  if (operator === '=~') return new RegExp(operand.replace(/^\/|\/$/g, '')).test(kind);
  throw new Error(`This test cannot evaluate "${term}".`);
}
