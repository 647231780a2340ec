import type { LanguagePrompt } from '../../languageTools.ts';

/** A proof of a statement, in steps that Lean checks. */
export const LEAN_PROOF: LanguagePrompt = {
  name: 'lean_proof',
  title: 'Lean Proof',
  description: 'Proves a statement in Lean 4.',
  arguments: [{ name: 'statement', description: 'In Lean or in words.', required: true }],
  text: ({ statement = '' }) =>
    [
      `Prove this in Lean 4: ${statement}`,
      'State it as a theorem with sorry and check that it says what was asked. Look at the goals with lean_goals, try tactics with lean_try, and replace each sorry.',
      'End with lean_check and its argument axioms: the verdict must be accepted, and no axiom but the standard ones may appear. Do not change the statement.',
    ].join('\n'),
};
