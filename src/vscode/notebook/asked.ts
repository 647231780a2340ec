import { type Position, type TextDocument, workspace } from 'vscode';
import type { Draft, Engine } from '../../engine/types.ts';
import type { Notebooks } from './notebooks.ts';
import type { Questions } from './questions.ts';

/** A question of the editor about a place in a cell, ready for the session. */
export interface Asked {
  readonly engine: Engine;
  readonly sessionId: string;
  readonly draft: Draft;
  /** Where it has to wait for its turn. */
  readonly questions: Questions;
  /** The document of a cell of the same notebook by its name in the session. */
  readonly documentOf: (name: string) => TextDocument | undefined;
}

/** The question at a place in a cell, if its notebook has a session that can answer now. */
export function askedAt(
  document: TextDocument,
  position: Position,
  engine: Engine,
  active: Notebooks,
): Asked | undefined {
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
    questions: entry.questions,
    draft: { cell: nameOf(document) ?? null, code: document.getText(), cursor: document.offsetAt(position) },
    documentOf: (name) => documents().find((candidate) => nameOf(candidate) === name),
  };
}
