// Evaluated by `node -e`: loads the driver from the descriptor that it is on, and starts it.
// In a block, so that user code shares none of its names.
{
  const { readFileSync, closeSync } = require('node:fs');
  const { compileFunction } = require('node:vm');
  const program = JSON.parse(readFileSync(6, 'utf8'));
  closeSync(6);
  const modules = new Map();
  // User code may replace these globals, or delete them.
  const builtIns = {
    process,
    Buffer,
    JSON,
    Object,
    Array,
    String,
    Number,
    Boolean,
    Symbol,
    Set,
    Error,
    Atomics,
    Reflect,
  };
  const given = { load: undefined, require, program, ...builtIns };
  given.load = (name) => {
    const known = modules.get(name);
    if (known) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const run = compileFunction(program.files[name], ['module', ...Object.keys(given)], {
      filename: `hothouse:${name}`,
    });
    run(module, ...Object.values(given));
    return module.exports;
  };
  given.load('main.js');
}
