import { describe, expect, it } from 'vitest';
import { factsOf, type VerdictFacts, verdictOf } from '../../../../src/languages/lean/check/verdict.ts';
import type { Diagnostic } from '../../../../src/languages/lean/lsp/messages.ts';
import { diagnostic } from './made.ts';

const CLEAN: VerdictFacts = { fatal: false, errors: 0, sorryWarnings: 0, hidden: false, axioms: [] };
const known = (...axioms: string[]) => ({ name: 't', axioms, answered: true });
const unknown = { name: 't', axioms: null, answered: true };
const unanswered = { name: 't', axioms: null, answered: false };

describe('verdictOf', () => {
  const cases: [Partial<VerdictFacts>, string][] = [
    [{}, 'accepted'],
    [{ axioms: [known(), known('propext', 'Classical.choice')] }, 'accepted'],
    [{ axioms: [unknown] }, 'accepted'],
    [{ axioms: [known('my.sorryAx')] }, 'accepted'],
    [{ sorryWarnings: 1 }, 'incomplete'],
    [{ hidden: true }, 'incomplete'],
    [{ hidden: true, errors: 1 }, 'rejected'],
    [{ axioms: [known('propext'), known('propext', 'sorryAx')] }, 'incomplete'],
    [{ axioms: [known(), unanswered] }, 'incomplete'],
    [{ errors: 1 }, 'rejected'],
    [{ fatal: true }, 'rejected'],
    [{ errors: 1, sorryWarnings: 1, axioms: [known('sorryAx')] }, 'rejected'],
  ];
  it.each(cases)('returns for %j the verdict %s', (facts, verdict) => {
    expect(verdictOf({ ...CLEAN, ...facts })).toBe(verdict);
  });
});

describe('factsOf', () => {
  const of = (severity: Diagnostic['severity'], message: string, more: Partial<Diagnostic> = {}) => {
    const { errors, sorryWarnings } = factsOf([
      diagnostic(
        severity,
        message,
        [
          [0, 0],
          [0, 1],
        ],
        more,
      ),
    ]);
    return `${errors} ${sorryWarnings}`;
  };

  it.each([
    [1, 'anything', '1 0'],
    [undefined, 'anything', '1 0'],
    [1, "declaration uses 'sorry'", '1 0'],
    [2, "declaration uses 'sorry'", '0 1'],
    [2, 'declaration uses `sorry`', '0 1'],
    [2, "declaration uses 'sorry'\n", '0 1'],
    [2, "my linter: declaration uses 'sorry'", '0 0'],
    [2, 'unused variable', '0 0'],
    [3, "declaration uses 'sorry'", '0 0'],
    [3, 'error: printed', '0 0'],
    [4, 'error', '0 0'],
  ] as const)('of severity %s and text %j are %s', (severity, message, expected) => {
    expect(of(severity, message)).toBe(expected);
  });

  it('counts silent diagnostics too', () => {
    expect(of(1, 'x', { isSilent: true })).toBe('1 0');
    expect(of(2, 'declaration uses `sorry`', { isSilent: true })).toBe('0 1');
  });
});
