import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import contributed from '../../schemas/environments.schema.json' with { type: 'json' };
import { parseEnvironmentFile } from '../../src/config/environmentFile.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { environmentFileSchema } from './environmentFileSchema.ts';

const FILE = `
environments:
  data:
    language: python
    packages: {pip: [polars>=1], apt: [graphviz]}
    variables: {REGION: eu}
    network: none
`;

function problemsOf(text: string): readonly string[] {
  return parseEnvironmentFile(text, LANGUAGES).problems;
}

describe('a file of environments', () => {
  it('has each wrong key and value named with line and column', () => {
    expect(problemsOf(FILE)).toEqual([]);
    expect(problemsOf(FILE.replace('variables', 'variable'))).toEqual([
      'line 6, column 5: data: variable: There is no such key.',
    ]);
    expect(problemsOf(FILE.replace('apt:', 'brew:'))).toEqual([
      'line 5, column 34: data: packages.brew: There is no such key.',
    ]);
    expect(problemsOf(FILE.replace('python', 'cobol'))[0]).toMatch(/^line 4, column 5: data: language: There is no/);
    expect(problemsOf(`${FILE}other: 1\n`)).toEqual(['line 8, column 1: other: There is no such key.']);
    expect(problemsOf(FILE.replace('none', '{allow: [example.org, 10.0.0.1]}'))[0]).toMatch(
      /^line 7, column 36: data: network\.allow\.1: Use a name such as/,
    );
    expect(problemsOf(FILE.replace('none', '{allow: [example.org]}\n    consent: yes'))).toEqual([
      'line 8, column 5: data: consent: There is no such key.',
    ]);
    expect(problemsOf(FILE.replace('network:', 'network'))[0]).toMatch(/^line 7, column 5: it is not valid YAML/);
  });
});

describe('the contributed JSON Schema of files of environments', () => {
  const validate = new Ajv({ strict: false }).compile(contributed);
  const accepts = (text: string) => validate(parse(text));

  it('is the one that the schemas of the engine generate', () => {
    expect(contributed).toEqual(JSON.parse(JSON.stringify(environmentFileSchema())));
    const [{ fileMatch, url }] = packageJson.contributes.yamlValidation as [{ fileMatch: string; url: string }];
    expect([fileMatch, url]).toEqual(['.hothouse/environments.yaml', './schemas/environments.schema.json']);
  });

  it('accepts and refuses what the reader of such files does', () => {
    for (const network of ['none', 'packages', 'full', '{allow: [example.org, "*.example.org:8443"]}']) {
      const text = FILE.replace('none', network);
      expect([accepts(text), problemsOf(text)]).toEqual([true, []]);
    }
    for (const [one, other] of [
      ['variables', 'variable'],
      ['apt:', 'brew:'],
      ['python', 'cobol'],
      ['data:', 'Data:'],
      ['none', 'fully'],
      ['none', '{allow: []}'],
      ['none', '{allow: [10.0.0.1]}'],
      ['none', '{allow: [example.org], deny: []}'],
    ] as const) {
      expect([one, accepts(FILE.replace(one, other))]).toEqual([one, false]);
      expect(problemsOf(FILE.replace(one, other))).not.toEqual([]);
    }
  });
});
