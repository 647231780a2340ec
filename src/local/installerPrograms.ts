import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A module that all programs can import. */
const SHARED = 'installers/disk';
/** Modules that a manager's program shares with builds of environments, each after those that it imports. */
const OF_MANAGER: Readonly<Record<string, readonly string[]>> = {
  nuget: ['versions', 'frameworks', 'package', 'connection', 'feed', 'folder', 'resolver'].map(
    (name) => `environment/nuget/${name}`,
  ),
};

/** Texts of the programs in `images/installers` by their manager, each with the modules that it imports. */
export function installerPrograms(imagesFolder: string): (manager: string) => Promise<string> {
  const read = (path: string) => readFile(join(imagesFolder, `${path}.py`), 'utf8');
  return async (manager) => {
    const paths = [SHARED, ...(OF_MANAGER[manager] ?? [])];
    const modules = await Promise.all(paths.map(async (path) => moduleOf(basename(path), await read(path))));
    return ['import sys, types', ...modules, await read(`installers/${manager}`)].join('\n');
  };
}

/** Python code that makes a module of a text. */
function moduleOf(name: string, text: string): string {
  const made = `_module = sys.modules["${name}"] = types.ModuleType("${name}")`;
  return `${made}\nexec(${JSON.stringify(text)}, vars(_module))`;
}
