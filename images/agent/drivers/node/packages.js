// The packages that were installed into this session: the engine puts them in folders of /packages, which only root writes.
const { readdirSync } = require('node:fs');
const Module = require('node:module');

const ROOT = '/packages';
/** One file for each folder that is complete. */
const INDEX = `${ROOT}/index`;
const known = new Set();

/** Before a cell: makes new packages importable, the latest first, before those of the image. */
function refresh() {
  let names;
  try {
    names = readdirSync(INDEX);
  } catch {
    return;
  }
  const added = names.filter((name) => !known.has(name));
  if (added.length === 0) return;
  for (const name of added.sort((one, other) => Number(one) - Number(other))) {
    known.add(name);
    const folder = `${ROOT}/${name}/node_modules`;
    prepend('NODE_PATH', folder);
    // For programs that cells start.
    prepend('PATH', `${folder}/.bin`);
  }
  Module._initPaths();
}

function prepend(variable, folder) {
  const others = process.env[variable];
  process.env[variable] = others ? `${folder}:${others}` : folder;
}

module.exports = { refresh };
