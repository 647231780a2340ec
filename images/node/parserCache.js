// Compiles the parser once for all processes of the driver, with the functions that most cells need:
//   node parserCache.js ACORN CACHE
const { readFileSync, writeFileSync } = require('node:fs');
const { Script } = require('node:vm');

/** What cells are made of. */
const CODE = `
const [a, { b = 1, ...c }] = await f(), d = [...a, , \`x\${b}y\`, /z/g, -1n, null];
let e = { a, [b]: 1, ...c, get g() { return 1; }, async *h() { yield* a; } };
var i = (x) => x ?? (x ||= 2), j = async ({ x }, ...y) => { await x; };
function k(x = 1) { if (x > 1 && !x) return x ? 1 : 2; else throw new Error('x'); }
class L extends Object { #m = 1; static n = 2; constructor() { super(); this.#m++; } o() { return super.toString()?.p; } }
for (const q of a) { if (q === 1) continue; break; }
for (let r = 0; r < 2; r += 1) {}
for (const s in e) delete e[s];
while (false) {}
do {} while (false);
switch (b) { case 1: break; default: typeof b; }
try { k(); } catch (t) { console.log(t, 'u'); } finally { }
label: for (;;) break label;
new L().o(1, ...a);
`;
const IMPORTS = `import v, { w as x } from 'y';\nexport default 1;\n`;

const [, , parser, cache] = process.argv;
const script = new Script(`(function (exports, module) {${readFileSync(parser, 'utf8')}\n})`);
const module_ = { exports: {} };
script.runInThisContext()(module_.exports, module_);
const options = { ecmaVersion: 'latest', allowAwaitOutsideFunction: true, allowHashBang: true };
module_.exports.parse(CODE, { ...options, sourceType: 'script' });
module_.exports.parse(IMPORTS + CODE, { ...options, sourceType: 'module' });
writeFileSync(cache, script.createCachedData());
