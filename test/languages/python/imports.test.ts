import { describe, expect, it } from 'vitest';
import { neededModules } from '../../../src/languages/python/imports.ts';

describe('neededModules', () => {
  it.each([
    'print(1)',
    'import os, sys as system',
    'x = 5\nx += 1',
    'for i in range(3):\n    i + 1',
    'x;',
    'print("a")  # shown\n',
    'from collections.abc import Mapping\nimport os.path',
    'x = "important"\nfrom_here = 1',
    '',
  ])('is empty for %j', (code) => {
    expect([...neededModules(code)]).toEqual([]);
  });

  it.each([
    ['2 + 2', 'IPython'],
    ['x = 5\nx', 'IPython'],
    ['def f(): pass\nf()\n', 'IPython'],
    ['import os\nos.getcwd()  ', 'IPython'],
    ['print(get_ipython())', 'IPython'],
    ['%matplotlib inline\nx = 1', 'IPython'],
    ['files = 1\n!ls', 'IPython'],
    ['import numpy', 'numpy'],
    ['import os, pandas as pd', 'pandas'],
    ['from matplotlib import pyplot as plt', 'matplotlib'],
    ['def f():\n    import scipy.stats', 'scipy'],
    ['try: import sklearn\nexcept ImportError: pass', 'sklearn'],
    ['x = 1; from my_module import y', 'my_module'],
  ])('of %j is %s', (code, module) => {
    expect([...neededModules(code)]).toEqual([module]);
  });
});
