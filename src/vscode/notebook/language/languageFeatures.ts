import {
  type CancellationToken,
  CompletionItem,
  CompletionItemKind,
  type Disposable,
  Hover,
  Location,
  languages,
  MarkdownString,
  type Position,
  Range,
  type TextDocument,
  workspace,
} from 'vscode';
import { DisposableStack } from '../../../base/disposable.ts';
import type { CellPlace, Completions, Draft, Engine } from '../../../engine/types.ts';
import type { App } from '../../app.ts';
import { abortSignal } from '../../cancellation.ts';
import { ALL_LANGUAGES } from '../../languages.ts';
import { NOTEBOOK_TYPE } from '../controller.ts';
import type { QuestionQueue } from '../notebookSession.ts';
import type { Notebooks } from '../notebooks.ts';

/** Registers completions from open sessions, and hovers and definitions for languages that have them. */
export function registerLanguageFeatures(app: App, active: Notebooks): Disposable {
  const stack = new DisposableStack();
  for (const { cells, triggers, hasPlaces } of ALL_LANGUAGES) {
    const selector = { notebookType: NOTEBOOK_TYPE, language: cells };
    const provider = new SessionProvider(app, active);
    stack.add(languages.registerCompletionItemProvider(selector, provider, ...triggers));
    if (!hasPlaces) continue;
    stack.add(languages.registerHoverProvider(selector, provider));
    stack.add(languages.registerDefinitionProvider(selector, provider));
  }
  return stack;
}

/** Answers with the session of the cell's notebook; nothing without an idle session. */
class SessionProvider {
  readonly #app: App;
  readonly #active: Notebooks;

  constructor(app: App, active: Notebooks) {
    this.#app = app;
    this.#active = active;
  }

  async provideCompletionItems(document: TextDocument, position: Position, token: CancellationToken) {
    const question = this.#ask(document, position);
    if (!question) return undefined;
    const { engine, sessionId, draft, questions } = question;
    const { code, cursor, cell } = draft;
    const signal = abortSignal(token);
    const found = await questions.ask(
      () => engine.complete(sessionId, code, cursor, signal, cell ?? undefined),
      signal,
    );
    return found?.ok ? itemsOf(found.value, document) : undefined;
  }

  async provideHover(document: TextDocument, position: Position, token: CancellationToken) {
    const question = this.#ask(document, position);
    const signal = abortSignal(token);
    const found = await question?.questions.ask(
      () => question.engine.hover(question.sessionId, question.draft, signal),
      signal,
    );
    return found?.ok && found.value !== null ? new Hover(new MarkdownString(found.value)) : undefined;
  }

  async provideDefinition(document: TextDocument, position: Position, token: CancellationToken) {
    const question = this.#ask(document, position);
    if (!question) return undefined;
    const { engine, sessionId, draft, questions } = question;
    const signal = abortSignal(token);
    const found = await questions.ask(() => engine.definition(sessionId, draft, signal), signal);
    return found?.ok ? found.value.flatMap((place) => locationOf(place, question)) : undefined;
  }

  #ask(document: TextDocument, position: Position): Question | undefined {
    const engine = this.#app.engine.current;
    return engine && questionAt(document, position, engine, this.#active);
  }
}

function itemsOf({ start, end, matches }: Completions, document: TextDocument): CompletionItem[] {
  const range = new Range(document.positionAt(start), document.positionAt(end));
  return matches.map((match) => {
    const item = new CompletionItem(match, CompletionItemKind.Variable);
    item.range = range;
    return item;
  });
}

/** The location in the notebook; none when the cell is gone. */
function locationOf({ cell, start, end }: CellPlace, { documentOf }: Question): Location[] {
  const document = documentOf(cell);
  return document ? [new Location(document.uri, new Range(document.positionAt(start), document.positionAt(end)))] : [];
}

/** A question about a position in a cell, ready to send to the session. */
interface Question {
  readonly engine: Engine;
  readonly sessionId: string;
  readonly draft: Draft;
  /** The queue to ask in. */
  readonly questions: QuestionQueue;
  /** Cell name in the session → document in the same notebook. */
  readonly documentOf: (name: string) => TextDocument | undefined;
}

/** The question at a position in a cell, if its notebook has an idle session. */
function questionAt(
  document: TextDocument,
  position: Position,
  engine: Engine,
  active: Notebooks,
): Question | undefined {
  const notebook = workspace.notebookDocuments.find((candidate) =>
    candidate.getCells().some((cell) => cell.document === document),
  );
  const entry = notebook && active.find(notebook.uri);
  const info = entry?.session.info;
  if (!entry || info?.state !== 'idle') return undefined;
  const nameOf = ({ uri }: TextDocument) => entry.names.find(uri.toString());
  const documents = () => notebook.getCells().map((cell) => cell.document);
  return {
    engine,
    sessionId: info.id,
    questions: entry.session.questions,
    draft: { cell: nameOf(document) ?? null, code: document.getText(), cursor: document.offsetAt(position) },
    documentOf: (name) => documents().find((candidate) => nameOf(candidate) === name),
  };
}
