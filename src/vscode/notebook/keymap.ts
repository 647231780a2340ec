import { commands, type Disposable, type Extension, extensions } from 'vscode';

/** Set while another extension contributes Jupyter's keys; our keybindings in package.json are off then. */
const CONTEXT = 'hothouse.jupyterKeymap';
/** Every Jupyter keymap has this key. */
const KEY = { key: 'b', command: 'notebook.cell.insertCodeCellBelow' };

/** Offers Jupyter's keys, unless an extension is there that does. */
export function registerKeymap(extensionId: string): Disposable {
  const update = () => {
    const others = extensions.all.filter(({ id }) => id !== extensionId);
    void commands.executeCommand('setContext', CONTEXT, others.some(hasKeys));
  };
  update();
  return extensions.onDidChange(update);
}

function hasKeys({ packageJSON }: Extension<unknown>): boolean {
  const keys: unknown = packageJSON?.contributes?.keybindings;
  return (
    Array.isArray(keys) && keys.some(({ key, command }) => key === KEY.key && String(command).startsWith(KEY.command))
  );
}
