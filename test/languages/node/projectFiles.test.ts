import { expect, it } from 'vitest';
import { NODE_PROJECT_FILES } from '../../../src/languages/node/projectFiles.ts';

it('the packages of package.json are its dependencies, with their versions', () => {
  const [file] = NODE_PROJECT_FILES;
  const read = (content: unknown) => file?.read(content).packages;
  const dependencies = { lodash: '^4', '@types/node': '22', ms: '' };
  expect(read({ dependencies, devDependencies: { x: '1' } })).toEqual(['lodash@^4', '@types/node@22', 'ms']);
  for (const content of [null, 7, [], {}, { dependencies: 7 }, { dependencies: { a: 1 } }])
    expect(read(content)).toEqual([]);
});
