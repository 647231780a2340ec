import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { languageOptions, Options } from '../../src/engine/options.ts';
import type { LanguageDefinition } from '../../src/languages/languageDefinition.ts';
import { LANGUAGES } from '../../src/languages/registry.ts';
import { OWNER, realEngine } from './engine.ts';
import type { Measured, Row } from './report.ts';
import { type Timing, time } from './stats.ts';

const execute = promisify(execFile);
/** Pause between calls as of a client that reads the answers: a process of the language is ready again. */
const PACE_MS = 1_000;

/** A program that prints 1, and a command line of the language's image that does the same; null where it has none. */
interface Sample {
  readonly code: string;
  readonly argv: readonly string[] | null;
}

const SAMPLES: Readonly<Record<string, Sample>> = {
  node: { code: 'console.log(1)', argv: ['node', '-e', 'console.log(1)'] },
  bash: { code: 'echo 1', argv: ['bash', '-c', 'echo 1'] },
  // The image has the compiler as a library only.
  csharp: { code: 'Console.Write(1);', argv: null },
  r: { code: 'cat(1)', argv: ['Rscript', '-e', 'cat(1)'] },
};

/** Measures one-shot runs and session cells of further languages beside `docker exec` of the same in their images. */
export async function measureLanguages(): Promise<Measured> {
  const rows: Row[] = [];
  for (const language of LANGUAGES) {
    const sample = SAMPLES[language.id];
    if (sample) rows.push(...(await rowsOf(language, sample)));
  }
  return { rows, figures: {} };
}

async function rowsOf(language: LanguageDefinition, { code, argv }: Sample): Promise<Row[]> {
  const { backToBack, paced, cell } = await ours(language.id, code);
  const { image } = languageOptions(language, Options.parse({}));
  return [
    { what: 'Hothouse, engine, one-shot, back to back', code, timing: backToBack },
    { what: `Hothouse, engine, one-shot, every ${PACE_MS} ms`, code, timing: paced },
    { what: 'Hothouse, session cell', code, timing: cell },
    { what: `docker exec ${argv?.[0] ?? ''}`.trim(), code, timing: argv && (await byDockerExec(image, argv)) },
  ];
}

async function ours(language: string, code: string) {
  const engine = await realEngine({});
  const run = async (sessionId?: string) => {
    const result = await engine.run({ language, code, owner: OWNER, ...(sessionId && { sessionId }) });
    if (result.status !== 'ok') throw new Error(`${code}: ${result.status} ${result.error?.message}`);
  };
  try {
    const backToBack = await time(20, () => run());
    const paced = await time(15, () => run(), 2, PACE_MS);
    const session = await engine.openSession(language, OWNER);
    if (!session.ok) throw new Error(session.error.message);
    return { backToBack, paced, cell: await time(200, () => run(session.value.id), 20) };
  } finally {
    await engine.dispose();
  }
}

async function byDockerExec(image: string, argv: readonly string[]): Promise<Timing> {
  const { stdout } = await execute('docker', ['run', '-d', '--rm', '--network', 'none', image, 'sleep', '600']);
  const id = stdout.trim();
  try {
    return await time(15, () => execute('docker', ['exec', id, ...argv]));
  } finally {
    await execute('docker', ['rm', '-f', id]);
  }
}
