import { measureLanguages } from './languages.ts';
import { measureLean } from './lean.ts';
import { measureLocal } from './local.ts';
import { measureNetwork } from './network.ts';
import { measurePackages } from './packages.ts';
import { measurePodman } from './podman.ts';
import { measureProfiles } from './profiles.ts';
import { measurePython } from './python.ts';
import { measureRatios } from './ratios.ts';
import { type Measured, report } from './report.ts';

/** Null where this machine lacks what it needs, with the reason on stderr. */
const PARTS: Readonly<Record<string, () => Promise<Measured | null>>> = {
  python: measurePython,
  languages: measureLanguages,
  packages: measurePackages,
  network: measureNetwork,
  profiles: measureProfiles,
  ratios: measureRatios,
  local: measureLocal,
  podman: measurePodman,
  lean: measureLean,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. Usage: npm run bench [-- ${Object.keys(PARTS).join(' | ')}]`);
  process.exit(2);
}
const all: Measured[] = [];
for (const [name, measure] of Object.entries(PARTS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const measured = await measure();
  if (measured) all.push(measured);
}
const whole = {
  rows: all.flatMap(({ rows }) => rows),
  figures: Object.assign({}, ...all.map(({ figures }) => figures)),
  ratios: all.flatMap(({ ratios = [] }) => ratios),
};
if (all.length > 0) await report(['bench', ...names].join('-'), whole);
process.exit(0);
