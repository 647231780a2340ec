import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { type Category, contributedSettings } from './contributedSettings.ts';

const categories: readonly Category[] = packageJson.contributes.configuration;
const all = categories.flatMap(({ properties }) => Object.entries(properties));

describe('contributes.configuration', () => {
  it('declares every option with the type, default, range and description of its schema, in categories', () => {
    const options = categories.map(({ properties, ...category }) => {
      const ofEngine = Object.entries(properties).filter(([key]) => !key.startsWith('hothouse.workspaceFolder.'));
      return { ...category, properties: Object.fromEntries(ofEngine) };
    });
    expect(options).toEqual(contributedSettings());
    expect(all).toHaveLength(new Set(all.map(([key]) => key)).size);
  });

  it('lets no workspace change a setting', () => {
    for (const [key, setting] of all)
      expect([key, setting]).toEqual([key, expect.objectContaining({ scope: 'machine' })]);
  });

  it('links a setting to the others that its description names', () => {
    const { 'hothouse.lean.memoryMb': setting } = Object.fromEntries(all);
    expect(setting).toMatchObject({ markdownDescription: expect.stringContaining('`#hothouse.limits.memoryMb#`') });
  });
});
