import {
  Diagnostic,
  type DiagnosticCollection,
  DiagnosticSeverity,
  languages,
  Range,
  type TextDocument,
  workspace,
} from 'vscode';
import { type Disposable, DisposableStack } from '../../../base/disposable.ts';
import type { CodeReport } from '../../../engine/types.ts';
import { type ReportDiagnostic, reportDiagnostics } from './reportDiagnostics.ts';

const SEVERITIES: Readonly<Record<ReportDiagnostic['severity'], DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  // The cell's output shows it already, so the Problems view does not; a hover shows it at its line.
  information: DiagnosticSeverity.Hint,
  hint: DiagnosticSeverity.Hint,
};

/** Diagnostics in cells, until their code changes. */
export class CellDiagnostics implements Disposable {
  readonly #stack = new DisposableStack();
  readonly #collection: DiagnosticCollection;

  constructor() {
    this.#collection = this.#stack.add(languages.createDiagnosticCollection('hothouse'));
    this.#stack.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.clear(document);
      }),
    );
    this.#stack.add(workspace.onDidCloseTextDocument((document) => this.clear(document)));
  }

  /** Shows the messages of `report` on `code`, unless the cell's code has changed; `source` is the language's name. */
  show(document: TextDocument, code: string, report: CodeReport, source: string): void {
    if (document.isClosed || document.getText() !== code) return;
    this.#collection.set(
      document.uri,
      reportDiagnostics(report, code).map((message) => diagnosticOf(message, source)),
    );
  }

  clear({ uri }: TextDocument): void {
    // Deleting fires an event even when there is nothing to delete, and this runs at every keystroke.
    if (this.#collection.has(uri)) this.#collection.delete(uri);
  }

  dispose(): void {
    this.#stack.dispose();
  }
}

function diagnosticOf({ severity, start, end, text }: ReportDiagnostic, source: string): Diagnostic {
  const range = new Range(start.line, start.character, end.line, end.character);
  const diagnostic = new Diagnostic(range, text, SEVERITIES[severity]);
  diagnostic.source = source;
  return diagnostic;
}
