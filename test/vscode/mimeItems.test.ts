import { describe, expect, it } from 'vitest';
import { mimeItems } from '../../src/vscode/notebook/output/mimeItems.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

describe('mimeItems', () => {
  it('decodes binary types from base64 and keeps text', () => {
    const items = mimeItems({
      'image/png': PNG.toString('base64'),
      'image/svg+xml': '<svg/>',
      'text/html': '<b>ü</b>',
      'application/pdf': Buffer.from('%PDF').toString('base64'),
    });
    expect(items).toEqual([
      { mime: 'image/png', bytes: PNG },
      { mime: 'image/svg+xml', bytes: Buffer.from('<svg/>') },
      { mime: 'text/html', bytes: Buffer.from('<b>ü</b>') },
      { mime: 'application/pdf', bytes: Buffer.from('%PDF') },
    ]);
  });

  it('serializes JSON types, including strings', () => {
    const items = mimeItems({ 'application/json': { a: [1] }, 'application/vnd.vega.v5+json': 'x' });
    expect(items.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['{"a":[1]}', '"x"']);
  });

  it.each(['', 'x', '/', 'a/', 'text plain', '*/*', `a/${'x'.repeat(1000)}`, 'application/vnd.code.notebook.error'])(
    'omits the invalid type %j and keeps the others',
    (mime) => {
      expect(mimeItems({ [mime]: 'x', 'text/plain': 'y' }).map((item) => item.mime)).toEqual(['text/plain']);
    },
  );

  it('omits JSON that is nested too deeply, at any depth', () => {
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    expect(mimeItems({ 'application/json': nested(100) })).toHaveLength(1);
    for (const depth of [101, 100_000]) expect(mimeItems({ 'application/json': nested(depth) })).toEqual([]);
  });

  it('considers a limited number of representations', () => {
    const forms = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a/${index}`, 'x']));
    expect(mimeItems(forms).length).toBeLessThan(100);
  });
});
