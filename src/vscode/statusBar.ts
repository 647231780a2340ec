import { StatusBarAlignment, ThemeColor, window } from 'vscode';
import { type Disposable, DisposableStack } from '../base/disposable.ts';
import type { App } from './app.ts';
import { statusText } from './statusText.ts';
import { throttled } from './throttle.ts';

/** Registers the status bar item; a click opens the pool view. */
export function registerStatusBar({ engine, health }: App): Disposable {
  const stack = new DisposableStack();
  const item = stack.add(window.createStatusBarItem('hothouse.status', StatusBarAlignment.Right, 90));
  item.name = 'Hothouse';
  item.command = 'hothouse.pool.focus';
  const draw = () => {
    const { text, tooltip, warning } = statusText(engine.snapshot(), health.problem);
    item.text = text;
    item.tooltip = tooltip;
    item.backgroundColor = warning ? new ThemeColor('statusBarItem.warningBackground') : undefined;
  };
  stack.add(engine.onDidChange(stack.add(throttled(draw)).trigger));
  stack.add(health.onDidChange(draw));
  draw();
  item.show();
  return stack;
}
