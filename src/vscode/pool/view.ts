import {
  commands,
  EventEmitter,
  ThemeColor,
  ThemeIcon,
  type TreeDataProvider,
  TreeItem,
  TreeItemCollapsibleState,
  type TreeView,
  window,
} from 'vscode';
import { type Disposable, DisposableStack, toDisposable } from '../../base/disposable.ts';
import type { App } from '../app.ts';
import { settled } from '../settled.ts';
import { poolRows, type Row } from './tree.ts';

const VIEW = 'hothouse.pool';
const AGES_MS = 5_000;

/** The pool view: follows the engine, and looks at Docker while it is seen. */
export function registerPoolView(app: App): Disposable {
  const stack = new DisposableStack();
  const changed = stack.add(new EventEmitter<void>());
  const view = stack.add(window.createTreeView(VIEW, { treeDataProvider: rowProvider(app, changed) }));
  const redraw = stack.add(settled(() => changed.fire()));
  stack.add(app.engine.onDidChange(redraw.trigger));
  stack.add(app.health.onDidChange(() => showProblem(app, view)));
  stack.add(whileVisible(view, () => app.health.watch()));
  stack.add(whileVisible(view, () => every(AGES_MS, redraw.trigger)));
  return stack;
}

function rowProvider({ engine }: App, changed: EventEmitter<void>): TreeDataProvider<Row> {
  return {
    onDidChangeTreeData: changed.event,
    getChildren: (row) => [...(row?.children ?? poolRows(engine.snapshot(), Date.now()))],
    getTreeItem: itemOf,
  };
}

function itemOf(row: Row): TreeItem {
  const state = row.children.length > 0 ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.None;
  const item = new TreeItem(row.label, state);
  item.id = row.id;
  item.description = row.description;
  item.tooltip = row.tooltip;
  item.contextValue = row.context;
  item.iconPath = new ThemeIcon(row.icon, row.color === undefined ? undefined : new ThemeColor(row.color));
  if (row.context.startsWith('session-notebook')) {
    item.command = { command: 'hothouse.session.show', title: 'Open Notebook', arguments: [row] };
  }
  return item;
}

/** The welcome views go by the context key; the badge says it where the view is hidden. */
function showProblem({ health: { problem }, engine }: App, view: TreeView<Row>): void {
  void commands.executeCommand('setContext', 'hothouse.problem', problem?.kind ?? '');
  view.description = problem?.message ?? '';
  view.badge = problem && { value: 1, tooltip: problem.message };
  const rows = poolRows(engine.snapshot(), Date.now());
  // The editor shows no welcome view beside rows.
  view.message = problem && rows.length > 0 ? `${problem.message} ${problem.advice}` : '';
}

function whileVisible(view: TreeView<Row>, start: () => Disposable): Disposable {
  let going: Disposable | undefined;
  const follow = (visible: boolean) => {
    going?.dispose();
    going = visible ? start() : undefined;
  };
  follow(view.visible);
  const subscription = view.onDidChangeVisibility(({ visible }) => follow(visible));
  return toDisposable(() => {
    subscription.dispose();
    going?.dispose();
  });
}

function every(ms: number, action: () => void): Disposable {
  const timer = setInterval(action, ms);
  return toDisposable(() => clearInterval(timer));
}
