import { type IndexedPackage, localIndex } from './localIndex.ts';

/** Megabytes of the package `large`, in one file. */
const LARGE_MB = 200;
const TEXT = { 'large.txt': 'x'.repeat(LARGE_MB << 20) };
const PACKAGES: readonly IndexedPackage[] = [
  { name: 'small', version: '1.0', files: { 'small.py': 'answer = 42\n' } },
  { name: 'large', version: '1.0', files: TEXT },
  { name: 'large-sized', version: '1.0', files: TEXT, isSized: true },
];

// An index in a process of its own, for a network of its own. Prints its address.
const { url } = await localIndex(PACKAGES);
process.stdout.write(`${url}\n`);
