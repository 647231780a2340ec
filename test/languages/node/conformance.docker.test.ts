import { describe } from 'vitest';
import { conformanceSuite } from '../conformance.ts';

describe('Node.js', () => {
  conformanceSuite({
    language: 'node',
    print: 'console.log("out");\nconsole.error("err");',
    value: '40 + 2',
    failing: { code: 'const a = 1;\n\nnull.x;', name: 'TypeError', text: /<code>:3:6$/m },
    broken: { code: 'const a = 1;\nlet = = 2', name: 'SyntaxError' },
    echo: 'process.stdout.write(require("fs").readFileSync(0));',
    busy: 'console.log("on");\nwhile (true) {}',
    waiting: 'console.log("on");\nawait new Promise((done) => setTimeout(done, 3_600_000));',
    flood: 'process.stdout.write("x".repeat(2_000_000));',
    exit: 'process.exit(3);\nconsole.log("after");',
    bomb: 'const all = [];\nwhile (true) all.push(Buffer.alloc(1 << 20, 1));',
    set: 'const kept = 10;',
    get: 'console.log(globalThis.kept);',
    state: { code: 'n += 1;', n: 2 },
    define: 'function answer() { return 42; }',
    call: 'console.log(answer());',
    leave: `const fs = require('fs');
for (const folder of ['/workspace', '/tmp']) fs.writeFileSync(folder + '/mark.txt', 'x');
require('child_process').spawn('sleep', ['3600'], { detached: true, stdio: 'ignore' }).unref();`,
    look: `const fs = require('fs');
const programs = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => {
  try { return fs.readFileSync('/proc/' + pid + '/comm', 'utf8').trim(); } catch { return ''; }
});
const isClean = !fs.existsSync('/workspace/mark.txt') && !fs.existsSync('/tmp/mark.txt') && !programs.includes('sleep');
console.log(isClean ? 'clean' : 'dirty ' + programs);`,
    completion: { code: 'kep', match: 'kept' },
  });
});
