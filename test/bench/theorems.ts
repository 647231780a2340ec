const SHAPES: readonly ((n: number) => string)[] = [
  (n) => `theorem t${n} (p q : Prop) (hp : p) (hq : q) : p ∧ ${n} = ${n} ∧ q := ⟨hp, rfl, hq⟩`,
  (n) => `theorem t${n} (p q : Prop) (hp : p) (hq : q) : p ∧ ${n} = ${n} ∧ q := by\n  exact ⟨hp, rfl, hq⟩`,
  (n) => `theorem t${n} (p q : Prop) (h : p ∨ q ∧ ${n} = ${n}) : q ∨ p := by
  cases h with
  | inl h => exact Or.inr h
  | inr h => exact Or.inl h.1`,
  (n) => `theorem t${n} (a b : Nat) (h : a = b) : ${n} = ${n} ∧ b = a := by
  apply And.intro
  exact rfl
  exact h.symm`,
];

/** A small theorem after a header, proved by a term or by tactics; each number gives another one. */
export function theoremOf(header: string, n: number): string {
  const shape = SHAPES[n % SHAPES.length];
  const theorem = shape ? shape(n) : '';
  return header ? `${header}\n${theorem}` : theorem;
}
