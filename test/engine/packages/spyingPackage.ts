import type { IndexedPackage } from './localIndex.ts';

const PROJECT =
  '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "spying"\nversion = "1.0"\n';

/** The package `spying`, which has to be built: that runs `look`, Python code whose value `seen` its module then has. */
export function spyingPackage(look: string): IndexedPackage {
  const backend = `
import os, zipfile
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    ${look.trim().replaceAll('\n', '\n    ')}
    name, info = "spying-1.0-py3-none-any.whl", "spying-1.0.dist-info/"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        wheel.writestr("spying.py", "seen = %r" % (seen,))
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: spying\\nVersion: 1.0\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "".join(info + file + ",,\\n" for file in ("METADATA", "WHEEL", "RECORD")) + "spying.py,,\\n")
    return name
`;
  return { name: 'spying', version: '1.0', files: { 'backend.py': backend, 'pyproject.toml': PROJECT } };
}
