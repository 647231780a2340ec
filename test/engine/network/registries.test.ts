import { describe, expect, it } from 'vitest';
import { indexHosts } from '../../../src/engine/network/registries.ts';

const NONE = { index: '', npmIndex: '', nugetIndex: '', extraIndexes: [] };
const INDEXES = {
  index: 'https://user:word@pip.example/simple',
  npmIndex: 'https://npm.example:8443/',
  nugetIndex: 'http://nuget.example/v3/index.json',
  extraIndexes: ['https://more.example/simple'],
};

describe('the hosts of the package indexes', () => {
  it.each([
    ['pip', ['pip.example', 'more.example']],
    ['npm', ['npm.example:8443']],
    ['nuget', ['nuget.example']],
  ] as const)('are those of the manager: %s', (manager, hosts) => {
    expect(indexHosts(manager, INDEXES)).toEqual(hosts);
    expect(indexHosts(manager, NONE)).toEqual([]);
  });
});
