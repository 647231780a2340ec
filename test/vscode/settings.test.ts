import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { contributedSettings } from './contributedSettings.ts';

const { properties } = packageJson.contributes.configuration;

describe('contributes.configuration', () => {
  it('declares every option with the type, default, range and description of its schema', () => {
    const options = Object.entries(properties).filter(([key]) => !key.startsWith('hothouse.workspaceFolder.'));
    expect(Object.fromEntries(options)).toEqual(contributedSettings());
  });

  it('lets no workspace change a setting', () => {
    for (const [key, { scope }] of Object.entries(properties)) expect([key, scope]).toEqual([key, 'machine']);
  });
});
