/** What a proof must satisfy beside Lean's own check. */
export interface JudgeTerms {
  /** The axioms that a proof may rest on, as Lean prints their names. */
  readonly allowedAxioms: readonly string[];
  /** The theorem as asked for: `theorem NAME … : …`, without a proof. */
  readonly statement?: string;
}

/** The axioms of sound proofs, which Lean itself declares. */
export const STANDARD_AXIOMS: readonly string[] = ['propext', 'Classical.choice', 'Quot.sound'];

/** What the judge finds. It accepts when there is no reason. */
export interface Judgement {
  /** Axioms that a proof rests on although they are not allowed. */
  readonly axioms: readonly string[];
  /** Why the judge rejects, one sentence each; empty when it accepts. */
  readonly reasons: readonly string[];
}
