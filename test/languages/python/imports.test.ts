import { describe, expect, it } from 'vitest';
import { needsPreloaded } from '../../../src/languages/python/imports.ts';

describe('needsPreloaded', () => {
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
  ])('is false for %j', (code) => {
    expect(needsPreloaded(code)).toBe(false);
  });

  it.each([
    '2 + 2',
    'x = 5\nx',
    'def f(): pass\nf()\n',
    'import os\nos.getcwd()  ',
    'print(get_ipython())',
    'import numpy',
    'import os, pandas as pd',
    'from matplotlib import pyplot as plt',
    'def f():\n    import scipy.stats',
    'try: import sklearn\nexcept ImportError: pass',
    'x = 1; from my_module import y',
    '%matplotlib inline\nx = 1',
    'files = 1\n!ls',
  ])('is true for %j', (code) => {
    expect(needsPreloaded(code)).toBe(true);
  });
});
