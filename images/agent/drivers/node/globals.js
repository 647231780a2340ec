// The global variables of user code: those that it finds, and those that its cells declare.
const { createRequire, registerHooks } = require('node:module');
const { fits, MAX_BYTES, MAX_VALUES, shapeOf } = load('jsonshape.js');

const FOLDER = '/workspace';
const FILE = `${FOLDER}/cell.js`;
/** Of a state event: for everything but the variables. */
const OTHER_BYTES = 1 << 18;
const OTHER_VALUES = 200;
const MAX_NAMES = 100;
const MAX_NAME = 200;

let given = new Set();

/** Gives user code what a module of Node.js has, and `more`. */
function install(more) {
  const own = createRequire(FILE);
  const module = { exports: {}, filename: FILE, id: '.', loaded: false, children: [], paths: own.resolve.paths('x') };
  const all = { require: own, module, exports: module.exports, __filename: FILE, __dirname: FOLDER, ...more };
  for (const [name, value] of Object.entries(all)) set(name, value, false);
  hide('hothouse.named', requireNames);
  hide('hothouse.meta', {
    url: `file://${FILE}`,
    filename: FILE,
    dirname: FOLDER,
    resolve: (specifier) => String(require('node:url').pathToFileURL(own.resolve(specifier))),
  });
  findInNodePath();
  process.argv = [process.execPath, FILE];
  process.execArgv = [];
  process._eval = undefined;
  given = new Set(Object.getOwnPropertyNames(globalThis));
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
