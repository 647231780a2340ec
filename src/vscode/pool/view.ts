import { commands, type TreeView, window } from 'vscode';
import { type Disposable, DisposableStack, toDisposable } from '../../base/disposable.ts';
import type { SessionInfo } from '../../engine/types.ts';
import type { App } from '../app.ts';
import { helpKind } from '../commands/chooseFix.ts';
import { formatProblem, inEditor } from '../format.ts';
import type { Notebooks } from '../notebook/notebooks.ts';
import { throttled } from '../throttle.ts';
import { type Node, RowProvider } from './rowProvider.ts';
import { poolRows, type Row } from './tree.ts';

const VIEW = 'hothouse.pool';
const AGES_MS = 5_000;

/** Registers the pool view, which checks for problems while it is visible. */
export function registerPoolView(app: App, notebooks: Notebooks): Disposable {
  const stack = new DisposableStack();
  const provider = stack.add(new RowProvider(() => rowsOf(app, notebooks)));
  const view = stack.add(window.createTreeView(VIEW, { treeDataProvider: provider }));
  const redraw = stack.add(throttled(() => provider.redraw()));
  stack.add(app.engine.onDidChange(redraw.trigger));
  stack.add(app.engine.onDidChange(stack.add(throttled(() => showRuntime(app))).trigger));
  stack.add(app.health.onDidChange(() => showProblem(app, view)));
  stack.add(whileVisible(view, () => app.health.watch()));
  stack.add(whileVisible(view, () => every(AGES_MS, redraw.trigger)));
  return stack;
}

function rowsOf({ engine }: App, notebooks: Notebooks): readonly Row[] {
  // The notebook may have been renamed since it opened its session.
  const labelOf = ({ id, owner }: SessionInfo) => notebooks.labelOf(id) ?? owner.label;
  return poolRows(engine.snapshot(), Date.now(), labelOf);
}

/** Sets the context key that selects a welcome view, and the badge for a hidden view. */
function showProblem({ health: { problem }, engine }: App, view: TreeView<Node>): void {
  void commands.executeCommand('setContext', 'hothouse.problem', problem ? helpKind(problem) : '');
  view.badge = problem && { value: 1, tooltip: inEditor(problem.message) };
  const rows = poolRows(engine.snapshot(), Date.now());
  // VS Code shows a welcome view only in an empty tree.
  view.message = problem && rows.length > 0 ? formatProblem(problem) : '';
}

/** Sets the context key that selects the languages of the welcome view: not every host can run all. */
function showRuntime({ engine }: App): void {
  const { host } = engine.snapshot();
  void commands.executeCommand('setContext', 'hothouse.runtime', host.state === 'ready' ? host.runtime : '');
}

function whileVisible(view: TreeView<Node>, start: () => Disposable): Disposable {
  let running: Disposable | undefined;
  const follow = (visible: boolean) => {
    running?.dispose();
    running = visible ? start() : undefined;
  };
  follow(view.visible);
  const subscription = view.onDidChangeVisibility(({ visible }) => follow(visible));
  return toDisposable(() => {
    subscription.dispose();
    running?.dispose();
  });
}

function every(ms: number, action: () => void): Disposable {
  const timer = setInterval(action, ms);
  return toDisposable(() => clearInterval(timer));
}
