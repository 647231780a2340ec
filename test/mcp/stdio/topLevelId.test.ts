import { describe, expect, it } from 'vitest';
import { TopLevelId } from '../../../src/mcp/stdio/topLevelId.ts';

function idOf(text: string): string | number | null {
  const scanner = new TopLevelId();
  for (const byte of Buffer.from(text)) scanner.take(Buffer.from([byte]));
  return scanner.id;
}

describe('the id of a message that arrives in chunks', () => {
  it.each([
    ['{"id":7}', 7],
    ['{"id":"seven","method":"x"}', 'seven'],
    [' { "params" : {"id":1,"a":[{"id":2}]} , "id" : 3 } ', 3],
    ['{"params":"{\\"id\\":1,\\\\","id":2}', 2],
    ['{"a":"}","b":"]\\\\\\"{","id":4}', 4],
    ['{"\\u0069d":5}', 5],
    ['{"id":"a\\u0022b\\\\"}', 'a"b\\'],
    ['{"id":"ü€😀"}', 'ü€😀'],
    ['{"id":1,"id":2}', 2],
    ['{"id":-12}', -12],
  ])('is found: %s', (text, id) => {
    expect(idOf(text)).toBe(id);
  });

  it.each([
    '{}',
    '[]',
    '[{"id":1}]',
    '{"params":{"id":1}}',
    '{"id":null}',
    '{"id":1.5}',
    '{"id":1e999}',
    '{"id":{"id":1}}',
    '{"id":[1]}',
    '"id":1',
    '{"x":"id","y":1}',
    `{"id":"${'x'.repeat(1000)}"}`,
    '}}}]]]{{{"id":1',
    '',
  ])('is not found where there is none: %s', (text) => {
    expect(idOf(text)).toBe(null);
  });
});
