import {
  type Disposable,
  EventEmitter,
  ThemeColor,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCollapsibleState,
} from 'vscode';
import { appearance, type Row } from './tree.ts';

/** A tree element: the same object while a row with its id exists. Commands receive it. */
export interface Node {
  row: Row;
}

/** Provides the rows and refreshes only those that look different: a row that redraws loses its hover and its buttons. */
export class RowProvider implements TreeDataProvider<Node>, Disposable {
  readonly #rows: () => readonly Row[];
  readonly #changed = new EventEmitter<Node[] | undefined>();
  readonly #nodes = new Map<string, Node>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly getTreeItem = itemOf;
  #structure = '';

  constructor(rows: () => readonly Row[]) {
    this.#rows = rows;
  }

  getChildren(node?: Node): Node[] {
    const rows = node ? node.row.children : this.#rows();
    return rows.map((row) => this.#nodeOf(row));
  }

  /** Refreshes the rows that differ. */
  redraw(): void {
    const rows = flat(this.#rows());
    const structure = rows.map(({ id, children }) => `${id} ${children.length}`).join('\n');
    const changed = rows
      .filter((row) => appearance(row) !== appearance(this.#nodes.get(row.id)?.row))
      .map(({ id }) => id);
    const nodes = rows.map((row) => this.#nodeOf(row));
    this.#keepOnly(new Set(rows.map(({ id }) => id)));
    if (structure !== this.#structure) this.#changed.fire(undefined);
    else if (changed.length > 0) this.#changed.fire(nodes.filter(({ row }) => changed.includes(row.id)));
    this.#structure = structure;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #nodeOf(row: Row): Node {
    const node = this.#nodes.get(row.id) ?? { row };
    node.row = row;
    this.#nodes.set(row.id, node);
    return node;
  }

  #keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#nodes.keys()) if (!ids.has(id)) this.#nodes.delete(id);
  }
}

function flat(rows: readonly Row[]): readonly Row[] {
  return rows.flatMap((row) => [row, ...flat(row.children)]);
}

function itemOf({ row }: Node): TreeItem {
  const state = row.children.length > 0 ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.None;
  const item = new TreeItem(row.label, state);
  item.id = row.id;
  item.description = row.description;
  item.tooltip = row.tooltip;
  item.contextValue = row.context;
  item.iconPath = new ThemeIcon(row.icon, row.color === undefined ? undefined : new ThemeColor(row.color));
  if (row.context.startsWith('session-notebook')) {
    item.command = { command: 'hothouse.session.show', title: 'Open Notebook', arguments: [{ row }] };
  }
  return item;
}
