// The global variables of user code: those that it finds, and those that its cells declare.
const { createRequire, registerHooks } = require('node:module');
const { fits, MAX_BYTES, MAX_VALUES, shapeOf } = load('jsonshape.js');

const FOLDER = '/workspace';
/** Of a state event: for everything but the variables. */
const OTHER_BYTES = 1 << 18;
const OTHER_VALUES = 200;
const MAX_NAMES = 100;
const MAX_NAME = 200;

let given = new Set();
const meta = {};

/** Gives user code what a module of Node.js has, and `more`. */
function install(more) {
  for (const [name, value] of Object.entries({ ...moduleIn(FOLDER), ...more })) set(name, value, false);
  hide('hothouse.named', requireNames);
  hide('hothouse.meta', meta);
  hide('hothouse.enter', enter);
  findInNodePath();
  process.argv = [process.execPath, `${FOLDER}/cell.js`];
  process.execArgv = [];
  process._eval = undefined;
  given = new Set(Object.getOwnPropertyNames(globalThis));
}

/** The variables of a module that is in the folder, which `import.meta` then names too. */
function moduleIn(folder) {
  const filename = `${folder}/cell.js`;
  const own = createRequire(filename);
  const url = (path) => String(require('node:url').pathToFileURL(path));
  Object.assign(meta, { url: url(filename), filename, dirname: folder, resolve: (name) => url(own.resolve(name)) });
  const module = { exports: {}, filename, id: '.', loaded: false, children: [], paths: own.resolve.paths('x') };
  return { require: own, module, exports: module.exports, __filename: filename, __dirname: folder };
}

/** Makes a folder the working folder, and the one that `require` begins at. */
function enter(folder) {
  process.chdir(folder);
  // What a cell has declared under such a name is its own.
  for (const [name, value] of Object.entries(moduleIn(folder))) if (given.has(name)) set(name, value, false);
}

function set(name, value, enumerable = true) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable });
}

function hide(name, value) {
  Object.defineProperty(globalThis, Symbol.for(name), { value });
}

/** The namespace of a module, if it has all the names that a cell imports. */
function requireNames(namespace, names, specifier) {
  const missing = names.find((name) => !(name in namespace));
  if (missing === undefined) return namespace;
  throw new SyntaxError(`The requested module '${specifier}' does not provide an export named '${missing}'`);
}

/** `import` looks where `require` does: NODE_PATH has the packages that are not in the workspace. */
function findInNodePath() {
  registerHooks?.({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (error.code !== 'ERR_MODULE_NOT_FOUND' || !process.env.NODE_PATH || /^[./]|^\w+:/.test(specifier))
          throw error;
        for (const folder of process.env.NODE_PATH.split(':')) {
          const parentURL = `file://${folder.replace(/\/node_modules\/?$/, '')}/_.js`;
          try {
            return next(specifier, { ...context, parentURL });
          } catch {
            // The next folder may have it.
          }
        }
        throw error;
      }
    },
  });
}

/** Makes names of a cell variables that it can set; later cells may declare them again. */
function declare(names) {
  for (const name of names) {
    const known = Object.getOwnPropertyDescriptor(globalThis, name);
    if (!known?.writable && known?.configurable !== false) set(name, undefined);
    given.delete(name);
  }
}

function setAll(variables) {
  for (const [name, value] of Object.entries(variables)) {
    set(name, value);
    given.delete(name);
  }
}

/** The user's variables as JSON values, and the names of those that are too large or nested too deep. */
function state() {
  const [kept, leftOut] = [{}, []];
  let [values, bytes] = [MAX_VALUES - OTHER_VALUES, MAX_BYTES - OTHER_BYTES];
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
    if (given.has(name) || name.startsWith('_') || !isData(descriptor?.value)) continue;
    const text = jsonOf(descriptor.value);
    const member = `${JSON.stringify(name)}: ${text}, `;
    if (text === undefined || !fits(text, values, bytes - Buffer.byteLength(member))) {
      leftOut.push(name.slice(0, MAX_NAME));
      continue;
    }
    values -= shapeOf(member).values;
    bytes -= Buffer.byteLength(member);
    kept[name] = JSON.parse(text);
  }
  return { state: kept, leftOut: leftOut.slice(0, MAX_NAMES) };
}

/** Whether JSON has the kind of the value: no functions, modules or instances of classes. */
function isData(value) {
  if (value === null) return true;
  if (typeof value !== 'object') return ['string', 'number', 'boolean'].includes(typeof value);
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || (prototype === null && value[Symbol.toStringTag] === undefined);
}

function jsonOf(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

module.exports = { declare, install, set, setAll, state };
