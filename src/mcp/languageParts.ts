import { leanReports } from './leanAnswer.ts';
import type { ReportPart } from './reportPart.ts';
import type { Tool } from './tool.ts';
import { leanCheck, leanGoals, leanTry } from './tools/provers.ts';

/** What a language adds to the server. */
interface LanguagePart {
  /** A sentence for the server's instructions. */
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly reports: ReportPart;
}

/** The languages that have tools or reports of their own. */
const PARTS: readonly LanguagePart[] = [
  {
    instructions:
      'For Lean 4 proofs use lean_check (many proofs in one call); lean_goals and lean_try help to find proofs.',
    tools: [leanCheck, leanGoals, leanTry],
    reports: leanReports,
  },
];

/** The parts of these languages. */
export function languageParts(languages: readonly { readonly id: string }[]): readonly LanguagePart[] {
  return PARTS.filter(({ reports }) => languages.some(({ id }) => id === reports.language));
}
