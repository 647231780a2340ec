import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const source = path.resolve(import.meta.dirname, '../../src');

it('only the doors with a person behind them ask for consent to a network', () => {
  const asking = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => readFileSync(path.join(source, file), 'utf8').includes('NetworkConsent.ask('));
  expect(asking.map((file) => file.split(path.sep).join('/')).sort()).toEqual([
    'cli/commands/env.ts',
    'mcp/createAsked.ts',
    'vscode/environments/newEnvironment.ts',
  ]);
});
