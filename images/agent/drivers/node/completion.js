// Completions from what exists, without calling getters or proxies of user code.
const { builtinModules } = require('node:module');
const { types } = require('node:util');

const MAX_MATCHES = 500;
const MAX_MATCH = 1_000;
const PATH = /(?:[\p{ID_Start}$_][\p{ID_Continue}$]*\s*\??\.\s*)*[\p{ID_Start}$_]?[\p{ID_Continue}$]*$/u;
const MODULE = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]*)$/;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const KEYWORDS =
  'async await break case catch class const continue debugger default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  );

/** The payload of a completions event. */
function complete(code, cursor) {
  const before = code.slice(0, cursor);
  const module = MODULE.exec(before);
  if (module)
    return list(
      cursor,
      module[2],
      builtinModules.filter((name) => !name.startsWith('_')).flatMap((name) => [name, `node:${name}`]),
    );
  const parts = PATH.exec(before)[0].split(/\s*\??\.\s*/);
  const word = parts.pop();
  if (parts.length === 0) {
    if (/\.\s*$/.test(before.slice(0, cursor - word.length))) return list(cursor, '', []);
    return list(cursor, word, [...namesOf(globalThis), ...KEYWORDS]);
  }
  const target = parts.reduce((value, name) => read(value, name), globalThis);
  return list(cursor, word, namesOf(target));
}

function list(cursor, word, names) {
  const fitting = [...new Set(names)].filter((name) => name.startsWith(word) && name.length <= MAX_MATCH);
  return { start: cursor - word.length, end: cursor, matches: fitting.sort().slice(0, MAX_MATCHES) };
}

/** The property, unless it is computed. */
function read(value, name) {
  for (let object = boxed(value); object !== null; object = Object.getPrototypeOf(object)) {
    if (types.isProxy(object)) return undefined;
    const descriptor = Object.getOwnPropertyDescriptor(object, name);
    if (descriptor) return builtIn(object, name, descriptor);
  }
  return undefined;
}

/** Getters of Node.js's own globals load a module and do nothing else. */
function builtIn(object, name, descriptor) {
  return object === globalThis && descriptor.get && KNOWN.has(name) ? globalThis[name] : descriptor.value;
}

const KNOWN = new Set(Object.getOwnPropertyNames(globalThis));

function boxed(value) {
  return value === undefined || value === null ? null : Object(value);
}

function namesOf(value) {
  const names = [];
  for (let object = boxed(value); object !== null; object = Object.getPrototypeOf(object)) {
    if (types.isProxy(object)) break;
    // Indices of arrays are no names.
    if (!ArrayBuffer.isView(object)) names.push(...Object.getOwnPropertyNames(object));
  }
  return names.filter((name) => IDENTIFIER.test(name));
}

module.exports = { complete };
