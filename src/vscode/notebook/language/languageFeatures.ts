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

/** Completions from living sessions; hovers and definitions, too, where the language has them. */
export function registerLanguageFeatures(app: App, active: Notebooks): Disposable {
  const stack = new DisposableStack();
  for (const { cells, triggers, hasPlaces } of ALL_LANGUAGES) {
    const selector = { notebookType: NOTEBOOK_TYPE, language: cells };
    const answers = new Answers(app, active);
    stack.add(languages.registerCompletionItemProvider(selector, answers, ...triggers));
    if (!hasPlaces) continue;
    stack.add(languages.registerHoverProvider(selector, answers));
    stack.add(languages.registerDefinitionProvider(selector, answers));
  }
  return stack;
}

/** Asks the session of the notebook that a document is a cell of; says nothing where there is none. */
class Answers {
  readonly #app: App;
  readonly #active: Notebooks;

  constructor(app: App, active: Notebooks) {
    this.#app = app;
    this.#active = active;
  }

  async provideCompletionItems(document: TextDocument, position: Position, token: CancellationToken) {
    const asked = this.#ask(document, position);
    if (!asked) return undefined;
    const { engine, sessionId, draft, questions } = asked;
    const { code, cursor, cell } = draft;
    const signal = abortSignal(token);
    const found = await questions.ask(
      () => engine.complete(sessionId, code, cursor, signal, cell ?? undefined),
      signal,
    );
    return found?.ok ? itemsOf(found.value, document) : undefined;
  }

  async provideHover(document: TextDocument, position: Position, token: CancellationToken) {
    const asked = this.#ask(document, position);
    const signal = abortSignal(token);
    const found = await asked?.questions.ask(() => asked.engine.hover(asked.sessionId, asked.draft, signal), signal);
    return found?.ok && found.value !== null ? new Hover(new MarkdownString(found.value)) : undefined;
  }

  async provideDefinition(document: TextDocument, position: Position, token: CancellationToken) {
    const asked = this.#ask(document, position);
    if (!asked) return undefined;
    const { engine, sessionId, draft, questions } = asked;
    const signal = abortSignal(token);
    const found = await questions.ask(() => engine.definition(sessionId, draft, signal), signal);
    return found?.ok ? found.value.flatMap((place) => locationOf(place, asked)) : undefined;
  }

  #ask(document: TextDocument, position: Position): Asked | undefined {
    const engine = this.#app.engine.current;
    return engine && askedAt(document, position, engine, this.#active);
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

/** The place in the notebook; none when its cell is not there any more. */
function locationOf({ cell, start, end }: CellPlace, { documentOf }: Asked): Location[] {
  const document = documentOf(cell);
  return document ? [new Location(document.uri, new Range(document.positionAt(start), document.positionAt(end)))] : [];
}

/** A question of the editor about a place in a cell, ready for the session. */
interface Asked {
  readonly engine: Engine;
  readonly sessionId: string;
  readonly draft: Draft;
  /** Where it has to wait for its turn. */
  readonly questions: QuestionQueue;
  /** The document of a cell of the same notebook by its name in the session. */
  readonly documentOf: (name: string) => TextDocument | undefined;
}

/** The question at a place in a cell, if its notebook has a session that can answer now. */
function askedAt(document: TextDocument, position: Position, engine: Engine, active: Notebooks): Asked | undefined {
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
