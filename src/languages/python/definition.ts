import { z } from 'zod';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { defineLanguage } from '../languageDefinition.ts';
import { PYTHON } from './facts.ts';
import { ModuleUse } from './moduleUse.ts';
import { pipInstallsIn } from './packages/cellInstalls.ts';
import { preloader } from './preload.ts';
import { PYTHON_PROJECT_FILES } from './projectFiles.ts';
import { pythonLanguage } from './python.ts';
import { PYTHON_VARIABLES } from './variables.ts';

/** Names of modules, as `import` has them. */
const MODULES = z.array(z.string().regex(/^[^\s.]+(\.[^\s.]+)*$/)).default([]);

/** Python 3 with IPython. */
export const python = defineLanguage({
  ...PYTHON,
  sessionPrefix: 'py',
  hasCopies: true,
  variablesCode: PYTHON_VARIABLES,
  projectFiles: PYTHON_PROJECT_FILES,
  options: z.strictObject({
    image: z.string().min(1).default('hothouse/python:latest').describe('Container image that Python runs in.'),
    packages: z
      .array(z.string().max(300))
      .default([])
      .describe(
        'Packages that the default environment has beside those of its image, as pip spells them. After a change, build it again.',
      ),
    preload: z
      .array(z.string().regex(/^[A-Za-z_][\w.]*$/))
      .default(['numpy', 'pandas', 'matplotlib.pyplot', 'IPython'])
      .describe('Modules that sandboxes import in advance, if the image has them and recent runs have needed them.'),
    allowedModules: MODULES.describe(
      'Modules that code may import, including their submodules. Empty: all modules. A policy, not a wall.',
    ),
    blockedModules: MODULES.describe(
      'Modules that code may not import, including their submodules. Libraries may. A policy, not a wall.',
    ),
  }),
  guide:
    'Python 3 with NumPy, pandas, SciPy, Matplotlib, seaborn, Plotly, scikit-learn, statsmodels, SymPy, PyArrow, requests, Beautiful Soup, Pillow, lxml, openpyxl, PyYAML, SQLAlchemy, NetworkX, xarray, tqdm and IPython is preinstalled. Plots are returned without savefig; top-level await works.',
  replaces: {
    name: 'python-docker-mcp',
    settings: {
      'docker.memory_limit': { option: 'limits.memoryMb', isMemory: true },
      'package.installer': { option: 'packages.tool' },
      'package.index_url': { option: 'packages.index' },
      'package.trusted_hosts': { option: 'packages.trustedHosts' },
      allowed_modules: { option: 'python.allowedModules' },
      blocked_modules: { option: 'python.blockedModules' },
    },
  },
  packages: {
    manager: 'pip',
    tools: ['uv', 'pip'],
    runsCode: true,
    fileExtensions: ['.whl'],
    installsIn: pipInstallsIn,
  },
  environment: () => ({
    // One thread each: the zygote must stay single-threaded to fork, and the quota is about one CPU anyway.
    OPENBLAS_NUM_THREADS: '1',
    OMP_NUM_THREADS: '1',
    // The allocator of PyArrow, which pandas imports, has a thread of its own otherwise.
    JE_ARROW_MALLOC_CONF: 'background_thread:false',
    MPLCONFIGDIR: '/tmp/matplotlib',
    IPYTHONDIR: '/tmp/ipython',
    PYTHONDONTWRITEBYTECODE: '1',
  }),
  warmOptions: ({ preload }) => preload,
  create({ options, clock, log }) {
    const use = new ModuleUse();
    const owners = new WeakMap<Sandbox, string>();
    const modules = (sandbox: Sandbox) => use.wanted(options().preload, owners.get(sandbox));
    const preloadable = () => options().preload;
    const importable = () => ({ allowed: options().allowedModules, blocked: options().blockedModules });
    return { ...pythonLanguage(use, { preloadable, owners, importable }), warm: preloader({ modules, clock, log }) };
  },
});
