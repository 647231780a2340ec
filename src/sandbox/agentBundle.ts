import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const PACKAGE = 'hothouse_agent';
const DRIVERS = 'drivers';

/**
 * The agent as the bytes that open a container's stdin: eight digits of length, then one Python program that carries
 * every module and every driver of `folder` (`images/agent`). Rejects when the folder cannot be read.
 */
export async function loadAgent(folder: string): Promise<Buffer> {
  const names = (await readdir(path.join(folder, PACKAGE))).filter((name) => name.endsWith('.py')).sort();
  const sources: Record<string, string> = {};
  for (const name of names) {
    const module = name === '__init__.py' ? PACKAGE : `${PACKAGE}.${name.slice(0, -'.py'.length)}`;
    sources[module] = await readFile(path.join(folder, PACKAGE, name), 'utf8');
  }
  const boot = await readFile(path.join(folder, 'boot.py'), 'utf8');
  const drivers = await readDrivers(path.join(folder, DRIVERS));
  const program = Buffer.from(`SOURCES = ${asLiteral(sources)}\nDRIVERS = ${asLiteral(drivers)}\n${boot}`);
  return Buffer.concat([Buffer.from(String(program.length).padStart(8, '0')), program]);
}

/** Every file of every driver: name of the driver → name of the file → text. */
async function readDrivers(folder: string): Promise<Record<string, Record<string, string>>> {
  const drivers: Record<string, Record<string, string>> = {};
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    const files: Record<string, string> = {};
    for (const file of (await readdir(path.join(folder, name))).sort())
      files[file] = await readFile(path.join(folder, name, file), 'utf8');
    drivers[name] = files;
  }
  return drivers;
}

/** Strings within objects, as Python writes them: JSON's escapes are a part of Python's, but for pairs of surrogates. */
function asLiteral(value: object): string {
  return JSON.stringify(value).replace(/[\u007f-\u{10ffff}]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}
