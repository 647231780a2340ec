import { expect, it } from 'vitest';
import { blockingProblems } from '../../src/engine/preflight.ts';
import type { EngineProblem, Preflight } from '../../src/engine/types.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';

const problem = (kind: EngineProblem['kind']): EngineProblem => ({ kind, message: kind, advice: 'Fix it.' });

function found(host: EngineProblem | null, kinds: Partial<Record<string, EngineProblem['kind']>>): Preflight {
  const environments = LANGUAGES.map(({ id: language }) => {
    const kind = kinds[language];
    return { id: language, language, image: null, imageName: language, problem: kind ? problem(kind) : null };
  });
  return { host: { info: null, problem: host }, runtime: null, environments };
}

const inTheWay = (preflight: Preflight) =>
  blockingProblems(preflight).map(({ problem: { kind }, language }) => [kind, language]);

it('a missing image does not block while another language is ready', () => {
  expect(inTheWay(found(null, {}))).toEqual([]);
  expect(inTheWay(found(null, { python: 'image_missing' }))).toEqual([]);
});

it('an unusable image blocks, whatever else is ready', () => {
  expect(inTheWay(found(null, { lean: 'image_unusable' }))).toEqual([['image_unusable', 'lean']]);
  expect(inTheWay(found(null, { python: 'image_missing', lean: 'image_unusable' }))).toEqual([
    ['image_unusable', 'lean'],
  ]);
});

it('without any image the first language is the one to build', () => {
  const missing = Object.fromEntries(LANGUAGES.map(({ id }) => [id, 'image_missing' as const]));
  expect(inTheWay(found(null, missing))).toEqual([['image_missing', 'python']]);
});

it('a language that needs a container engine does not block while another one is ready', () => {
  expect(inTheWay(found(null, { csharp: 'needs_engine', r: 'needs_engine' }))).toEqual([]);
});

it('an unusable host comes before every other problem', () => {
  expect(inTheWay(found(problem('host_stopped'), {}))).toEqual([['host_stopped', 'python']]);
});
