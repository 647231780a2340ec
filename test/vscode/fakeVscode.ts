import { existsSync } from 'node:fs';
import path from 'node:path';

/** The part of VS Code that views and questions use, without an editor; what a user would see is recorded. */

export class EventEmitter<T> {
  readonly #listeners: ((value: T) => void)[] = [];
  readonly event = (listener: (value: T) => void) => {
    this.#listeners.push(listener);
    return { dispose() {} };
  };
  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
}

export class ThemeIcon {
  static readonly File = new ThemeIcon('file');
  static readonly Folder = new ThemeIcon('folder');
  readonly id: string;
  constructor(id: string) {
    this.id = id;
  }
}

export class TreeItem {
  readonly label: string;
  readonly collapsibleState: number;
  constructor(label: string, collapsibleState: number) {
    this.label = label;
    this.collapsibleState = collapsibleState;
  }
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 };
export const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 };

export class FileSystemError extends Error {}

export class Uri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  private constructor(scheme: string, authority: string, name: string) {
    this.scheme = scheme;
    this.authority = authority;
    this.path = name;
  }
  get fsPath(): string {
    return this.path;
  }
  static file(name: string): Uri {
    return new Uri('file', '', name);
  }
  static from(parts: { scheme: string; authority: string; path: string }): Uri {
    return new Uri(parts.scheme, parts.authority, parts.path);
  }
  static joinPath(base: Uri, ...names: string[]): Uri {
    return new Uri(base.scheme, base.authority, path.posix.join(base.path, ...names));
  }
}

/** An entry of a list to pick from. */
export interface Picked {
  readonly label: string;
  readonly description?: string;
  readonly picked?: boolean;
}

/** What the user does, and what was shown. */
export const user = {
  /** Picks entries; undefined cancels. */
  pick: (items: readonly Picked[]): readonly Picked[] | undefined => items,
  /** Presses a button of a question; undefined cancels. */
  press: (_message: string, buttons: readonly string[]): string | undefined => buttons[0],
  /** Messages, each with its kind. */
  seen: [] as string[],
};

function show(kind: string) {
  return async (message: string, ...rest: unknown[]) => {
    user.seen.push(`${kind}: ${message}`);
    const buttons = rest.filter((button): button is string => typeof button === 'string');
    return kind === 'warning' ? user.press(message, buttons) : undefined;
  };
}

export const window = {
  showErrorMessage: show('error'),
  showInformationMessage: show('information'),
  showWarningMessage: show('warning'),
  showQuickPick: async (items: readonly Picked[]) => user.pick(items),
  withProgress: (_options: unknown, work: () => Promise<unknown>) => work(),
};

export const workspace = {
  fs: {
    async stat(uri: Uri) {
      if (!existsSync(uri.fsPath)) throw new FileSystemError(uri.path);
      return {};
    },
  },
};
