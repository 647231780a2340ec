import {
  type CancellationToken,
  CompletionItem,
  CompletionItemKind,
  type Disposable,
  languages,
  type Position,
  Range,
  type TextDocument,
  workspace,
} from 'vscode';
import type { Completions } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { abortSignal } from '../cancellation.ts';
import { NOTEBOOK_TYPE } from './controller.ts';
import type { Notebooks } from './notebooks.ts';

/** Completes from the living interpreter's names, in notebooks that have a session. */
export function registerCompletions({ engine }: App, active: Notebooks): Disposable {
  return languages.registerCompletionItemProvider(
    { notebookType: NOTEBOOK_TYPE, language: 'python' },
    {
      async provideCompletionItems(document: TextDocument, position: Position, token: CancellationToken) {
        const session = sessionOf(document, active);
        if (!session || !engine.current) return undefined;
        const cursor = document.offsetAt(position);
        const found = await engine.current.complete(session, document.getText(), cursor, abortSignal(token));
        return found.ok ? itemsOf(found.value, document) : undefined;
      },
    },
    '.',
  );
}

function sessionOf(document: TextDocument, active: Notebooks): string | undefined {
  const notebook = workspace.notebookDocuments.find((candidate) =>
    candidate.getCells().some((cell) => cell.document === document),
  );
  return notebook && active.find(notebook.uri)?.session.info?.id;
}

function itemsOf({ start, end, matches }: Completions, document: TextDocument): CompletionItem[] {
  const range = new Range(document.positionAt(start), document.positionAt(end));
  return matches.map((match) => {
    const item = new CompletionItem(match, CompletionItemKind.Variable);
    item.range = range;
    return item;
  });
}
