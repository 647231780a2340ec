import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, start } from './program.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hothouse-files-'));
  mkdirSync(join(folder, 'data/deep'), { recursive: true });
  writeFileSync(join(folder, 'data/sales.csv'), 'month,total\n1,20\n2,22\n');
  writeFileSync(join(folder, 'data/deep/note.txt'), 'deep');
});
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);

function program(name: string, ...lines: string[]): string {
  writeFileSync(at(name), `${lines.join('\n')}\n`);
  return at(name);
}

describe('hothouse run with files', () => {
  it('gives files and folders to the program and saves those that it makes', async () => {
    const script = program(
      'report.py',
      'import csv, os',
      'total = sum(int(row["total"]) for row in csv.DictReader(open("sales.csv")))',
      'os.makedirs("result/deep"); open("result/deep/total.txt", "w").write(str(total))',
      'print(__file__, open("in/deep/note.txt").read())',
    );
    const files = ['--file', at('data/sales.csv'), '--file', `${at('data')}=in`];
    const run = await ended(start(['run', ...files, '--out', at('out'), script]));
    expect([run.status, run.stdout]).toEqual([0, '/workspace/report.py deep\n']);
    expect(run.stderr).toBe(`hothouse: saved ${at('out/result/deep/total.txt')}\n`);
    expect(readFileSync(at('out/result/deep/total.txt'), 'utf8')).toBe('42');
  });

  it('replaces files only with --overwrite, and otherwise exits with status 1', async () => {
    const script = program('again.py', 'open("kept.txt", "w").write("new")');
    mkdirSync(at('again'));
    writeFileSync(at('again/kept.txt'), 'old');
    const run = await ended(start(['run', '--out', at('again'), script]));
    expect(run.status).toBe(1);
    expect(run.stderr).toContain(`hothouse: not saved: kept.txt: ${at('again/kept.txt')} exists\n`);
    expect(readFileSync(at('again/kept.txt'), 'utf8')).toBe('old');
    const second = await ended(start(['run', '--out', at('again'), '--overwrite', '--json', script]));
    expect(JSON.parse(second.stdout)).toMatchObject({
      files: [{ path: 'kept.txt', size: 3, file: at('again/kept.txt') }],
    });
    expect(readFileSync(at('again/kept.txt'), 'utf8')).toBe('new');
  });

  it('writes nothing outside of the folder, whatever the program calls its files', async () => {
    const target = mkdtempSync(join(tmpdir(), 'hothouse-target-'));
    mkdirSync(at('safe'));
    symlinkSync(target, at('safe/link'));
    const script = program(
      'hostile.py',
      'import os',
      'os.makedirs("link"); open("link/stolen", "w").write("x")',
      'open("a\\nsaved b", "w").write("x"); open("c\\\\d", "w").write("x"); os.symlink("/etc/passwd", "passwd")',
      'open(b"bad\\xff", "w").write("x"); open("good", "w").write("x")',
    );
    const run = await ended(start(['run', '--out', at('safe'), script]));
    expect(run.status).toBe(1);
    expect(run.stderr.match(/not saved: /g)).toHaveLength(4);
    expect(run.stderr).toContain(`saved ${at('safe/good')}\n`);
    expect(readFileSync(at('safe/good'), 'utf8')).toBe('x');
    expect(() => readFileSync(join(target, 'stolen'))).toThrow('ENOENT');
    rmSync(target, { recursive: true });
  });

  it('runs nothing without a file that was named, or with one outside of the working folder', async () => {
    const script = program('never.py', 'print("ran")');
    const missing = await ended(start(['run', '--file', at('none.csv'), script]));
    expect([missing.status, missing.stdout]).toEqual([2, '']);
    expect(missing.stderr).toContain(`${at('none.csv')} cannot be read`);
    const outside = await ended(start(['run', '--file', `${at('data/sales.csv')}=../../etc/x`, script]));
    expect([outside.status, outside.stdout]).toEqual([64, '']);
    expect(outside.stderr).toContain('is not a path in the workspace');
  });
});
