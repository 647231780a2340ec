import { describe, expect, it } from 'vitest';
import { VIEW_FOLDER } from '../../src/engine/files/types.ts';
import type { Engine } from '../../src/engine/types.ts';
import { LANGUAGE_FACTS } from '../../src/languages/facts.ts';
import { open, ownMachine, resume, run, start } from './resumeBench.ts';

ownMachine('view-languages');

const PLACE = `${VIEW_FOLDER}/my project`;
const WRITE_ELSEWHERE = /read-only view here\. Write to \/workspace/;

/** Code that prints `double(7)` of a module beside the notebook and the first line of a file, and code that writes one. */
interface Case {
  readonly language: string;
  readonly helpers: Readonly<Record<string, string>>;
  readonly read: string;
  readonly write: string;
  /** In the error, or in what is printed to stderr. */
  readonly refused: RegExp;
}

const CASES: readonly Case[] = [
  {
    language: 'node',
    helpers: {
      'helpers.cjs': 'exports.double = (n) => 2 * n;\n',
      'helpers.mjs': 'export const double = (n) => 2 * n;\n',
    },
    read: `
import { double } from './helpers.mjs';
const fs = require('fs');
if (require('./helpers.cjs').double(7) !== double(7)) throw new Error('require');
if (fs.readFileSync(__dirname + '/data.txt', 'utf8') !== fs.readFileSync('data.txt', 'utf8')) throw new Error('__dirname');
console.log(double(7), fs.readFileSync('data.txt', 'utf8').trim());`,
    write: `require('fs').writeFileSync('out.txt', 'x')`,
    refused: WRITE_ELSEWHERE,
  },
  {
    language: 'bash',
    helpers: { 'helpers.sh': 'double() { echo $((2 * $1)); }\n' },
    read: 'source helpers.sh; echo "$(double 7) $(cat data.txt)"',
    write: 'echo x > out.txt',
    refused: /out\.txt: Permission denied/,
  },
  {
    language: 'r',
    helpers: { 'helpers.R': 'double <- function(n) 2 * n\n' },
    read: 'source("helpers.R"); cat(double(7), readLines("data.txt"), "\\n")',
    write: 'write.csv(data.frame(a = 1), "out.csv")',
    refused: WRITE_ELSEWHERE,
  },
  {
    language: 'csharp',
    helpers: {},
    read: 'System.Console.WriteLine("14 " + System.IO.File.ReadAllText("data.txt").Trim());',
    write: 'System.IO.File.WriteAllText("out.txt", "x");',
    refused: /UnauthorizedAccess|denied/,
  },
];

let modifiedMs = 1_700_000_000_000;

function show(engine: Engine, sessionId: string, files: Readonly<Record<string, string>>) {
  modifiedMs += 1_000;
  const all = Object.entries(files).map(([name, content]) => ({
    path: `my project/${name}`,
    size: Buffer.byteLength(content),
    modifiedMs: name === 'data.txt' ? modifiedMs : 1,
    content: async function* () {
      yield Buffer.from(content);
    },
  }));
  return engine.view(sessionId).sync(all);
}

describe('a live view', () => {
  for (const { language, helpers, read, write, refused } of CASES)
    it(`is read and refuses writes in a session of ${language}, and stays when another engine resumes it`, async () => {
      const { editor } = LANGUAGE_FACTS.find(({ id }) => id === language) ?? {};
      const first = await start();
      const record = await open(first, language);
      const { sessionId } = record;
      const printed = async (engine: Engine, code: string) => {
        const { error, stdout } = await run(engine, sessionId, code, { language });
        return error ? `${error.name}: ${error.message}` : stdout.trim();
      };
      expect(await show(first.engine, sessionId, { ...helpers, 'data.txt': 'one\n' })).toMatchObject({ ok: true });
      expect(await printed(first.engine, editor?.enterFolder?.(PLACE) ?? '')).toBe('');
      expect(await printed(first.engine, read)).toBe('14 one');
      await show(first.engine, sessionId, { ...helpers, 'data.txt': 'two\n' });
      expect(await printed(first.engine, read)).toBe('14 two');
      const { error, stderr } = await run(first.engine, sessionId, write, { language });
      expect(`${error?.message}\n${stderr}`).toMatch(refused);
      await first.engine.detach();

      const second = await start();
      await resume(second.engine, record);
      expect(await printed(second.engine, read)).toBe('14 two');
      // Only what has changed is sent.
      expect(await show(second.engine, sessionId, { ...helpers, 'data.txt': 'three\n' })).toMatchObject({
        ok: true,
        value: { put: 1, removed: 0, isFirst: false },
      });
      expect(await printed(second.engine, read)).toBe('14 three');
      expect(await show(second.engine, sessionId, { 'data.txt': 'four\n' })).toMatchObject({
        value: { removed: Object.keys(helpers).length },
      });
      const { returnToFolder = editor?.enterFolder } = editor ?? {};
      expect(await printed(second.engine, returnToFolder?.(PLACE) ?? '')).toBe('');
      await second.engine.closeSession(sessionId);
      await second.engine.dispose();
    });
});
