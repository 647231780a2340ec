import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A module that all programs can import. */
const SHARED = 'disk';

/** Texts of the programs in `images/installers` by their manager, each with the module that they share. */
export function installerPrograms(imagesFolder: string): (manager: string) => Promise<string> {
  const read = (name: string) => readFile(join(imagesFolder, 'installers', `${name}.py`), 'utf8');
  return async (manager) => {
    const [shared, program] = await Promise.all([read(SHARED), read(manager)]);
    const module = `_shared = types.ModuleType("${SHARED}")\nexec(${JSON.stringify(shared)}, vars(_shared))`;
    return `import sys, types\n${module}\nsys.modules["${SHARED}"] = _shared\n${program}`;
  };
}
