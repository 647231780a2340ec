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
  // JSON within JSON: the inner text becomes a Python string literal, which JSON's escapes are a part of.
  const literal = (value: object) => `json.loads(${asciiJson(JSON.stringify(value))})`;
  const drivers = await readDrivers(path.join(folder, DRIVERS));
  const program = Buffer.from(`import json\nSOURCES = ${literal(sources)}\nDRIVERS = ${literal(drivers)}\n${boot}`);
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

function asciiJson(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
