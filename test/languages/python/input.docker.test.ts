import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InputPrompt, Interpreter, OnInput } from '../../../src/languages/language.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { once, realSandbox, runCell } from './harness.ts';
import { python } from './language.ts';

let sandbox: Sandbox;
let session: Interpreter;
beforeAll(async () => {
  sandbox = await realSandbox();
  session = python.open(sandbox, { once: false });
});
afterAll(() => sandbox.dispose());

/** Answers with `texts` one after the other, then with the end of input. */
function answering(...texts: (string | null)[]) {
  const prompts: InputPrompt[] = [];
  const onInput: OnInput = async (prompt) => {
    prompts.push(prompt);
    return texts.shift() ?? null;
  };
  return { prompts, onInput };
}

describe('input() in a session', () => {
  it('asks and shows the prompt and the answer as a terminal does', async () => {
    const { prompts, onInput } = answering('Ada', '36');
    const ended = await runCell(session, 'name = input("Name? ")\nage = int(input())\n(name, age)', { onInput });
    expect(ended).toMatchObject({ status: 'ok', value: "('Ada', 36)", stdout: 'Name? Ada\n36\n' });
    expect(prompts).toEqual([
      { text: 'Name? ', isSecret: false },
      { text: '', isSecret: false },
    ]);
  });

  it('does not show what getpass() gets', async () => {
    const { prompts, onInput } = answering('secret');
    const ended = await runCell(session, 'import getpass\nlen(getpass.getpass("Token: "))', { onInput });
    expect(ended).toMatchObject({ value: '6', stdout: 'Token: \n' });
    expect(prompts).toEqual([{ text: 'Token: ', isSecret: true }]);
  });

  it('passes long and unusual answers unchanged', async () => {
    const text = `${'ä'.repeat(200_000)}\u{1F331}\\n"`;
    const ended = await runCell(session, 'import hashlib\nhashlib.sha256(input().encode()).hexdigest()', {
      onInput: answering(text).onInput,
    });
    const { createHash } = await import('node:crypto');
    expect(ended.value).toBe(`'${createHash('sha256').update(text).digest('hex')}'`);
  });

  it('ends with EOFError when the question is cancelled, and keeps the session', async () => {
    const ended = await runCell(session, 'kept = 1\ninput()', { onInput: answering().onInput });
    expect(ended).toMatchObject({ status: 'error', error: { name: 'EOFError' }, alive: true });
    expect((await runCell(session, 'kept')).value).toBe('1');
  });

  it('ends a wait by an interrupt, drops its late answer and asks again in the next cell', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      let late: (text: string) => void = () => {};
      const cell = runCell(session, 'input("? ")', {
        onInput: (_, signal) => {
          session.interrupt();
          signal.addEventListener('abort', () => late('late'));
          return new Promise((resolve) => {
            late = resolve;
          });
        },
      });
      expect(await cell).toMatchObject({ status: 'interrupted', error: { name: 'KeyboardInterrupt' }, alive: true });
      expect((await runCell(session, 'input()', { onInput: answering('next').onInput })).value).toBe("'next'");
    }
  });

  it('asks again where the code continues after an interrupt', async () => {
    const code = 'try:\n    input("first ")\nexcept KeyboardInterrupt:\n    again = input("second ")\nagain';
    const onInput: OnInput = async ({ text }, signal) => {
      if (text === 'second ') return 'yes';
      session.interrupt();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('first')));
    };
    expect(await runCell(session, code, { onInput })).toMatchObject({ status: 'ok', value: "'yes'" });
  });

  it('reads stdin in threads and forks, which cannot ask', async () => {
    const code = `
import threading, os
seen = []
def ask():
    try: input()
    except EOFError as error: seen.append(str(error))
thread = threading.Thread(target=ask); thread.start(); thread.join()
if os.fork() == 0:
    try: input()
    except EOFError: os._exit(0)
    os._exit(1)
(len(seen), os.wait()[1])`;
    expect((await runCell(session, code, answering('no'))).value).toBe('(1, 0)');
  });
});

describe('input() without anyone to ask', () => {
  it('reads stdin, and says why there is no more', async () => {
    const cell = { stdin: 'line\n' };
    const ended = await runCell(session, 'print(input("> "))\ninput()', cell);
    expect(ended).toMatchObject({ stdout: '> line\n', error: { name: 'EOFError' }, alive: true });
    expect(ended.error?.message).toMatch(/stdin of this run is empty or used up/);
    expect(await runCell(session, 'from getpass import getpass\ngetpass()')).toMatchObject({
      error: { name: 'EOFError' },
    });
  });

  it('ends a one-shot run at once', async () => {
    const other = await realSandbox();
    try {
      expect(await once(other, 'input("? ")')).toMatchObject({ status: 'error', error: { name: 'EOFError' } });
    } finally {
      await other.dispose();
    }
  });
});

describe('%debug', () => {
  it('examines the last error by commands that a person types', async () => {
    await runCell(session, 'def half(n):\n    local = n * 10\n    return local / 0\ndef outer():\n    return half(4)', {
      name: '<cell 1>',
    });
    expect(await runCell(session, 'outer()', { name: '<cell 2>' })).toMatchObject({
      error: { name: 'ZeroDivisionError' },
    });
    const { prompts, onInput } = answering('p local', 'up', 'q');
    const ended = await runCell(session, '%debug', { onInput, name: '<cell 3>' });
    expect(ended).toMatchObject({ status: 'ok', alive: true });
    expect(ended.stdout).toMatch(/return local \/ 0.*ipdb> p local\n40\n.*return half\(4\).*ipdb> q\n/s);
    expect(prompts[0]?.text).toBe('ipdb> ');
    expect(ended.stdout).not.toContain('<hothouse>');
  });

  it('ends by an interrupt at its prompt and by the end of input', async () => {
    await runCell(session, '1/0');
    const onInput: OnInput = (_, signal) => {
      session.interrupt();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)));
    };
    expect(await runCell(session, '%debug', { onInput })).toMatchObject({ alive: true });
    expect(await runCell(session, '1/0\n')).toMatchObject({ error: { name: 'ZeroDivisionError' } });
    expect(await runCell(session, '%debug')).toMatchObject({ alive: true });
  });

  it('leaves interrupts as they were after breakpoint() and continue', async () => {
    const code = 'breakpoint()\nprint("on", flush=True)\nwhile True: pass';
    const { onInput } = answering('c');
    const end = session.run({ code, name: '<c>', stdin: '', state: null, onInput }, (item) => {
      if (item.kind === 'stdout' && item.text.includes('on\n')) session.interrupt();
    });
    expect(await end).toMatchObject({ status: 'interrupted', alive: true });
  });
});
