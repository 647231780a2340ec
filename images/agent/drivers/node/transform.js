// Turns a cell into a script whose declarations stay: they become global variables, which later cells may declare again.
const fs = require('node:fs');
const { stripTypeScriptTypes } = require('node:module');
const path = require('node:path');
const { Script } = require('node:vm');

/** Where global packages are: beside Node.js, or as Debian has them. */
const FOLDERS = [
  path.resolve(process.execPath, '../../lib/node_modules'),
  '/usr/local/lib/node_modules',
  '/usr/share/nodejs',
];

/** The parser, compiled: it is then ready in half the time. An environment without an image has it beside Node.js. */
const CACHES = ['/usr/lib/hothouse/acorn.cache', path.resolve(process.execPath, '../../lib/hothouse/acorn.cache')];

const folder = parserFolder();
let parser = null;

const PREFIX = '(async () => { ';
const OPTIONS = {
  ecmaVersion: 'latest',
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
  allowReturnOutsideFunction: false,
  allowHashBang: true,
};

/**
 * The cell as `{ source, columnOffset, isAsync, hasValue, names }`: a script whose value is that of the cell, or for a cell
 * that awaits a function that returns a promise of it; and the names that it declares. Lines stay. Throws a SyntaxError
 * with `loc` for what is neither JavaScript nor TypeScript.
 */
function transform(code) {
  const [text, tree] = parse(code);
  if (tree === null) return { source: text, columnOffset: 0, isAsync: false, hasValue: true, names: [] };
  const rewriting = new Rewriting(text);
  const last = tree.body.at(-1);
  for (const statement of tree.body) rewriting.topLevel(statement);
  const { isAsync } = rewriting;
  const shared = { isAsync, hasValue: last?.type === 'ExpressionStatement', names: [...rewriting.names] };
  if (!isAsync) return { ...shared, source: rewriting.text(), columnOffset: 0 };
  rewriting.wrap(last);
  const head = PREFIX + rewriting.head;
  return { ...shared, source: `${head}${rewriting.text()}\n})`, columnOffset: -head.length };
}

/**
 * A one-shot run that V8 takes as it is, as `{ script, hasValue() }`; null where only the parser can say what it is. It then
 * starts without the parser, which takes a fifth of the time of a whole process.
 */
function plainScript(code, options) {
  // In a script `await (x)` is a call.
  if (/\\u|\b(?:await|import)\b/.test(code)) return null;
  try {
    return { script: new Script(code, options), hasValue: () => hasValue(code) };
  } catch {
    return null;
  }
}

/** Whether the value of the code, which V8 has compiled, is that of a last expression: to V8 other statements have one too. */
function hasValue(code) {
  const [, tree] = parse(code);
  return tree === null || tree.body.at(-1)?.type === 'ExpressionStatement';
}

/** Where the image has the parser. */
function parserFolder() {
  const found = FOLDERS.map((folder) => `${folder}/acorn`).find((folder) => fs.existsSync(folder));
  if (found) return found;
  fs.writeSync(2, 'The image has no acorn, which Hothouse parses cells with. Add it by: npm install --global acorn\n');
  return process.reallyExit(1);
}

/** Prepares for code that has to be parsed. */
function warmUp() {
  new Script(transform('const [warm] = [await 1];\nwarm').source);
}

/** The parser as images/node/parserCache.js has compiled it; null where the image has none of this version of V8. */
function compiledParser(file) {
  try {
    const cachedData = fs.readFileSync(CACHES.find((file) => fs.existsSync(file)));
    const script = new Script(`(function (exports, module) {${fs.readFileSync(file, 'utf8')}\n})`, { cachedData });
    if (script.cachedDataRejected) return null;
    const module = { exports: {} };
    script.runInThisContext()(module.exports, module);
    return module.exports;
  } catch {
    return null;
  }
}

/** The JavaScript of the cell and its tree; no tree for what only V8 understands. */
function parse(code) {
  let first;
  try {
    return [code, parseScript(code)];
  } catch (error) {
    first = error;
  }
  const stripped = withoutTypes(code);
  if (stripped !== null) {
    try {
      return [stripped, parseScript(stripped)];
    } catch {
      // What the user wrote counts.
    }
  }
  try {
    new Script(code);
    return [code, null];
  } catch {
    throw first;
  }
}

function parseScript(code) {
  parser ??= compiledParser(`${folder}/dist/acorn.js`) ?? require(folder);
  try {
    return parser.parse(code, { ...OPTIONS, sourceType: 'script' });
  } catch (error) {
    // Some things are allowed in modules only, and a few others in scripts only.
    try {
      return parser.parse(code, { ...OPTIONS, sourceType: 'module' });
    } catch {
      throw error;
    }
  }
}

/** The code without its types, at the same positions where possible; null where that fails. */
function withoutTypes(code) {
  for (const mode of ['strip', 'transform']) {
    try {
      return stripTypeScriptTypes(code, { mode });
    } catch (error) {
      if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return null;
    }
  }
  return null;
}

class Rewriting {
  names = new Set();
  isAsync = false;
  /** What comes before the first character of a function. */
  head = '';
  #code;
  /** [start, end, text], each in place of the code there. */
  #edits = [];

  constructor(code) {
    this.#code = code;
  }

  /** For the body of a function, which returns the value of the last statement. */
  wrap(last) {
    if (last?.type === 'ExpressionStatement') {
      this.#replace(last.start, last.start, 'return (');
      this.#replace(this.#code[last.end - 1] === ';' ? last.end - 1 : last.end, last.end, ');');
    }
    if (this.#code.startsWith('#!')) this.#replace(0, 2, '//');
  }

  text() {
    const edits = this.#edits.toSorted(([a, b], [c, d]) => a - c || b - d);
    let [text, position] = ['', 0];
    for (const [start, end, replacement] of edits) {
      text += this.#code.slice(position, start) + replacement;
      position = Math.max(position, end);
    }
    return text + this.#code.slice(position);
  }

  #replace(start, end, text) {
    this.#edits.push([start, end, text]);
  }

  topLevel(node) {
    switch (node.type) {
      case 'VariableDeclaration':
        if (node.kind.includes('using')) break;
        this.#declaration(node);
        this.#walk(node, true);
        return;
      case 'FunctionDeclaration':
        this.#function(node);
        return;
      case 'ClassDeclaration':
        this.names.add(node.id.name);
        this.#replace(node.start, node.start, `${node.id.name} = `);
        this.#replace(node.end, node.end, ';');
        break;
      case 'ImportDeclaration':
        this.#import(node);
        return;
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
        this.#export(node);
        return;
      case 'ExportAllDeclaration':
        this.#replace(node.start, node.end, ';');
        return;
    }
    this.#walk(node);
  }

  /** A declaration becomes assignments; `void` keeps it apart from the line before. */
  #declaration({ declarations, kind, start, end }) {
    this.#replace(start, declarations[0].start, 'void (');
    for (const { id, init, end: declaratorEnd } of declarations) {
      this.#bind(id);
      if (init === null && kind !== 'var') this.#replace(declaratorEnd, declaratorEnd, ' = undefined');
    }
    const lastEnd = declarations.at(-1).end;
    this.#replace(lastEnd, end, ');');
  }

  /** Functions can be called before their declaration; inside of a function the variable is set at its start. */
  #function(node) {
    const { name } = node.id;
    this.names.add(name);
    this.head += `globalThis.${name} = ${name}; `;
    this.#walk(node);
  }

  #import({ start, end, specifiers, source, attributes }) {
    this.isAsync = true;
    const options = attributes?.length
      ? `, { with: { ${attributes.map((one) => this.#code.slice(one.start, one.end)).join(', ')} } }`
      : '';
    const module = `await import(${source.raw}${options})`;
    const named = [];
    const texts = [];
    for (const { type, local, imported } of specifiers) {
      this.names.add(local.name);
      if (type === 'ImportNamespaceSpecifier') texts.push(`${local.name} = ${module}`);
      else named.push([imported ? (imported.name ?? imported.value) : 'default', local.name]);
    }
    if (named.length > 0) {
      const names = JSON.stringify(named.map(([name]) => name));
      const pattern = named.map(([name, local]) => `${JSON.stringify(name)}: ${local}`).join(', ');
      texts.push(`{ ${pattern} } = globalThis[Symbol.for('hothouse.named')](${module}, ${names}, ${source.raw})`);
    }
    const text = texts.length > 0 ? texts.map((one) => `(${one})`).join(', ') : module;
    // As many lines as before, so that those after it keep their numbers.
    const lines = this.#code.slice(start, end).split('\n').length - 1;
    this.#replace(start, end, `void (${text});${'\n'.repeat(lines)}`);
  }

  #export({ type, declaration, start, end }) {
    if (!declaration) {
      this.#replace(start, end, ';');
    } else if (type === 'ExportDefaultDeclaration' && !declaration.id) {
      this.#replace(start, declaration.start, 'void (');
      this.#replace(declaration.end, end, ');');
      this.#walk(declaration);
    } else {
      this.#replace(start, declaration.start, '');
      this.topLevel(declaration);
    }
  }

  #bind(pattern) {
    if (pattern.type === 'Identifier') this.names.add(pattern.name);
    else if (pattern.type === 'ObjectPattern')
      for (const property of pattern.properties) this.#bind(property.value ?? property.argument);
    else if (pattern.type === 'ArrayPattern') for (const element of pattern.elements) element && this.#bind(element);
    else if (pattern.type === 'AssignmentPattern') this.#bind(pattern.left);
    else if (pattern.type === 'RestElement') this.#bind(pattern.argument);
  }

  /** What is below a statement: `var` of blocks, `await`, and `import.meta`. `isDone`: the node itself is handled. */
  #walk(node, isDone = false) {
    if (FUNCTIONS.has(node.type)) {
      this.#inFunction(node);
      return;
    }
    if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) this.isAsync = true;
    if (node.type === 'VariableDeclaration' && node.kind === 'await using') this.isAsync = true;
    if (node.type === 'MetaProperty') this.#meta(node);
    if (!isDone && node.type === 'VariableDeclaration' && node.kind === 'var') this.#declaration(node);
    if (LOOPS.has(node.type)) this.#loop(node);
    else for (const child of childrenOf(node)) this.#walk(child);
  }

  #loop(node) {
    const head = node.type === 'ForStatement' ? node.init : node.left;
    for (const child of childrenOf(node)) {
      if (child !== head || head?.type !== 'VariableDeclaration' || head.kind !== 'var') this.#walk(child);
    }
    if (head?.type !== 'VariableDeclaration' || head.kind !== 'var') return;
    for (const { id } of head.declarations) this.#bind(id);
    const isBare = node.type === 'ForStatement' && head.declarations.every(({ init }) => init === null);
    this.#replace(head.start, isBare ? head.end : head.declarations[0].start, '');
    this.#walk(head, true);
  }

  #inFunction(node) {
    for (const child of childrenOf(node)) {
      if (child.type === 'MetaProperty') this.#meta(child);
      else this.#inFunction(child);
    }
  }

  #meta({ meta, start, end }) {
    if (meta.name === 'import') this.#replace(start, end, `globalThis[Symbol.for('hothouse.meta')]`);
  }
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'ClassBody']);
const LOOPS = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement']);

function childrenOf(node) {
  return Object.values(node)
    .flat()
    .filter((value) => typeof value?.type === 'string');
}

module.exports = { plainScript, transform, warmUp };
