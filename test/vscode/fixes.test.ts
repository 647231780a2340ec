import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { ProblemKind } from '../../src/host/problem.ts';
import { fixOf } from '../../src/vscode/commands/fixes.ts';

const KINDS: readonly ProblemKind[] = [
  'engine_missing',
  'engine_stopped',
  'engine_hung',
  'engine_too_old',
  'permission_denied',
  'image_missing',
  'image_unusable',
  'disk_full',
  'no_memory',
  'runtime_unknown',
  'spec_refused',
  'build_failed',
  'cancelled',
  'host_failed',
];

describe('fixOf', () => {
  const problem = (kind: ProblemKind, command?: string) => ({
    kind,
    message: 'm',
    advice: 'a',
    ...(command !== undefined && { command }),
  });

  it('runs the command that a problem names', () => {
    expect(fixOf(problem('engine_stopped', 'sudo systemctl start docker'), false)).toMatchObject({
      kind: 'terminal',
      command: 'sudo systemctl start docker',
    });
  });

  it('opens the setting when the user named the engine', () => {
    expect(fixOf(problem('engine_stopped', 'service docker start'), true)).toMatchObject({
      kind: 'setting',
      key: 'hothouse.docker.host',
    });
  });

  it('builds a missing image in the editor rather than in a terminal', () => {
    expect(fixOf(problem('image_missing', 'hothouse build python'), false).kind).toBe('build');
  });

  it('opens only settings that exist', () => {
    const keys = Object.keys(packageJson.contributes.configuration.properties);
    for (const kind of KINDS) {
      const fix = fixOf(problem(kind), true);
      if (fix.kind === 'setting')
        expect(
          keys.some((key) => key.startsWith(fix.key)),
          fix.key,
        ).toBe(true);
    }
  });
});

describe('the welcome view', () => {
  const shownFor = (kind: string, hostSet: boolean) =>
    packageJson.contributes.viewsWelcome.filter(({ when }) => holds(when, kind, hostSet));

  it('has exactly one text with exactly one button for every problem, and one for none', () => {
    for (const kind of ['', ...KINDS]) {
      for (const hostSet of [true, false]) {
        const shown = shownFor(kind, hostSet);
        expect(
          shown.map(({ when }) => when),
          `${kind} ${hostSet}`,
        ).toHaveLength(1);
        expect(shown[0]?.contents.match(/^\[[^\]]+\]\(command:/gm), kind).toHaveLength(1);
      }
    }
  });
});

/** Evaluates the few forms of when clauses that our welcome views use. */
function holds(when: string, kind: string, hostSet: boolean): boolean {
  return when.split(' && ').every((term) => {
    const negated = term.startsWith('!');
    const inner = term.replace(/^!\(?|\)$/g, '');
    return negated !== termHolds(inner, kind, hostSet);
  });
}

function termHolds(term: string, kind: string, hostSet: boolean): boolean {
  if (term === 'config.hothouse.docker.host') return hostSet;
  if (term === 'hothouse.problem') return kind !== '';
  const [, operator, operand = ''] = /^hothouse\.problem (==|=~) (.*)$/.exec(term) ?? [];
  if (operator === '==') return kind === operand;
  if (operator === '=~') return new RegExp(operand.replace(/^\/|\/$/g, '')).test(kind);
  throw new Error(`This test cannot evaluate "${term}".`);
}
