import { type Disposable, type QuickInput, QuickInputButtons, type QuickPickItem, window } from 'vscode';

/** What a step of a wizard returns when its Back button is pressed. */
export const BACK = Symbol('back');

/** What a question resolves with: undefined when the user stops. */
export type Answer<T> = T | typeof BACK | undefined;

/** Where a question stands in its wizard; the first step is 1 and has no Back button. */
export interface Place {
  readonly title: string;
  readonly step: number;
}

/** A text to ask for. */
export interface TextQuestion {
  readonly prompt: string;
  readonly value: string;
  /** What is wrong with a text; null when nothing is. */
  readonly problem: (text: string) => string | null;
}

/** One step of a wizard: asks and resolves with the changed draft; null when it has nothing to ask. */
export type Step<Draft> = (draft: Draft, place: Place) => Promise<Answer<Draft>> | null;

/**
 * Takes the steps in their order; each gets the draft that the steps before it made. `BACK` returns to the latest step that
 * has asked, with the draft that it had. Undefined when the user stops.
 */
export async function runWizard<Draft>(
  title: string,
  draft: Draft,
  steps: readonly Step<Draft>[],
): Promise<Draft | undefined> {
  const asked: { readonly index: number; readonly draft: Draft }[] = [];
  let current = draft;
  for (let index = 0; index < steps.length; index += 1) {
    const next = await (steps[index]?.(current, { title, step: asked.length + 1 }) ?? current);
    if (next === undefined) return undefined;
    if (next === BACK) {
      const last = asked.pop() ?? { index, draft };
      current = last.draft;
      index = last.index - 1;
    } else if (next !== current) {
      asked.push({ index, draft: current });
      current = next;
    }
  }
  return current;
}

/** Asks for one of some items. */
export function askItem<T extends QuickPickItem>(
  place: Place,
  placeholder: string,
  items: readonly T[],
): Promise<Answer<T>> {
  const pick = window.createQuickPick<T>();
  Object.assign(pick, { items, placeholder });
  return ask(pick, place, (done) => [
    pick.onDidAccept(() => pick.selectedItems[0] && done(pick.selectedItems[0])),
    pick.onDidTriggerButton(() => done(BACK)),
  ]);
}

/** Asks for a text; it stays open while the text is not valid. */
export function askText(place: Place, { prompt, value, problem }: TextQuestion): Promise<Answer<string>> {
  const box = window.createInputBox();
  const check = () => {
    box.validationMessage = problem(box.value) ?? undefined;
    return box.validationMessage === undefined;
  };
  Object.assign(box, { prompt, value });
  return ask(box, place, (done) => [
    box.onDidChangeValue(check),
    box.onDidAccept(() => check() && done(box.value)),
    box.onDidTriggerButton(() => done(BACK)),
  ]);
}

function ask<T>(
  input: QuickInput & { buttons: readonly object[] },
  { title, step }: Place,
  listen: (done: (answer: Answer<T>) => void) => Disposable[],
): Promise<Answer<T>> {
  Object.assign(input, { title, step, ignoreFocusOut: true });
  input.buttons = step > 1 ? [QuickInputButtons.Back] : [];
  return new Promise<Answer<T>>((resolve) => {
    const listeners = listen(resolve);
    listeners.push(input.onDidHide(() => resolve(undefined)));
    input.show();
  }).finally(() => input.dispose());
}
