import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { contributedSettings } from './contributedSettings.ts';

const { properties } = packageJson.contributes.configuration;

describe('contributes.configuration', () => {
  it('declares every option with its type, default, range and words, as the schema has them', () => {
    expect(properties).toEqual(contributedSettings());
  });

  it('lets no workspace set anything', () => {
    for (const [key, { scope }] of Object.entries(properties)) expect([key, scope]).toEqual([key, 'machine']);
  });
});
