import { z } from 'zod';
import { lossEnd, plainError, violentEnd } from '../../src/languages/exit.ts';
import type { CellEnd, CellOutput, CellRequest, Interpreter } from '../../src/languages/language.ts';
import { defineLanguage } from '../../src/languages/languageDefinition.ts';
import type { Channel, ChannelEnd, Sandbox } from '../../src/sandbox/sandbox.ts';

/** A language whose code is one command: its name and its arguments, between spaces. */
export const toy = defineLanguage({
  id: 'toy',
  displayName: 'Toy',
  fileExtensions: ['.toy'],
  sessionPrefix: 'toy',
  editor: {
    cells: 'toy',
    kernelspec: { name: 'toy', display_name: 'Toy', language: 'toy' },
    triggers: [],
    hasPlaces: false,
  },
  options: z.strictObject({
    image: z.string().default('hothouse/python:latest').describe('Container image that Toy runs in.'),
    memoryMb: z.int().default(200).describe('Memory limit of a Toy sandbox in MB.'),
  }),
  guide: 'Toy: the code is one command.',
  environment: () => ({ TOY_HOME: '/workspace' }),
  create: () => ({ open: (sandbox) => new ToyInterpreter(sandbox) }),
});

/** Runs each cell as a program of its own. */
class ToyInterpreter implements Interpreter {
  readonly #sandbox: Sandbox;
  #channel: Channel | undefined;
  #isKilled = false;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async run({ code, stdin }: CellRequest, onOutput: (output: CellOutput) => void): Promise<CellEnd> {
    const argv = code.trim().split(' ');
    this.#channel = this.#sandbox.start(
      { kind: 'exec', argv, cwd: '/workspace', env: {} },
      {
        onStdout: (bytes) => onOutput({ kind: 'stdout', text: String(bytes) }),
        onStderr: (bytes) => onOutput({ kind: 'stderr', text: String(bytes) }),
      },
    );
    if (stdin) this.#channel.write(Buffer.from(stdin));
    this.#channel.closeInput();
    return endOf(await this.#channel.ended, this.#isKilled);
  }

  async complete() {
    return { start: 0, end: 0, matches: [] };
  }

  interrupt(): void {
    void this.#channel?.signal('SIGINT');
  }

  kill(): void {
    this.#isKilled = true;
    void this.#channel?.signal('SIGKILL');
  }
}

function endOf(end: ChannelEnd, isKilled: boolean): CellEnd {
  const base = { exitCode: null, state: null, error: null, report: null, stdoutBytes: 0, stderrBytes: 0 };
  const more = { eventsDropped: 0, peakMemoryBytes: 0 };
  if (end.kind === 'lost') return { ...base, ...more, ...lossEnd(end.loss), alive: false };
  const { code, stdoutBytes, stderrBytes, peakMemoryBytes } = end.exit;
  const own =
    code === 0
      ? { status: 'ok' as const, error: null }
      : { status: 'error' as const, error: plainError('ExitStatus', `It ended with exit status ${code}.`) };
  const ended = violentEnd(end.exit, isKilled) ?? own;
  return { ...base, ...more, stdoutBytes, stderrBytes, peakMemoryBytes, exitCode: code, alive: true, ...ended };
}
