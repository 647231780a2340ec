/** Code for the interpreter of an agent under test: the same meaning in the language that each agent runs. */
export interface Snippets {
  /** Writes the text and a line end to stdout. */
  print(text: string): string;
  /** Writes the text and a line end to stderr. */
  warn(text: string): string;
  /** Writes so many `x` to stdout. */
  fill(bytes: number): string;
  /** Displays the text as `text/plain`. */
  show(text: string): string;
  /** Displays the numbers from 0 to `count`, exclusive. */
  showMany(count: number): string;
  set(name: string, value: number): string;
  /** Ends the cell with the variable as its value. */
  get(name: string): string;
  /** Raises a `RuntimeError`. */
  fail(message: string): string;
  exit(status: number): string;
  sleep(ms: number): string;
  /** Ignores SIGINT, then writes a line to stdout, then never ends. */
  hang(): string;
  /** Has the kernel kill the process for memory. */
  outOfMemory(): string;
  /** Ends every process of the sandbox that it can, but its own. */
  killOthers(): string;
  /** Has the process end by itself later, whatever it does then. */
  exitLater(ms: number, status: number): string;
  /** Writes what stdin holds to stdout. */
  copyStdin(): string;
  writeFile(path: string, content: string): string;
  /** Writes what the file holds to stdout. */
  readFile(path: string): string;
  /** Changes a time that no reset can set back. */
  taint(): string;
}

export const pythonSnippets: Snippets = {
  print: (text) => `print(${JSON.stringify(text)})`,
  warn: (text) => `import sys; print(${JSON.stringify(text)}, file=sys.stderr)`,
  fill: (bytes) => `print("x" * ${bytes}, end="")`,
  show: (text) => `_ = display({"text/plain": ${JSON.stringify(text)}}, raw=True)`,
  showMany: (count) => `for i in range(${count}): display({"text/plain": str(i)}, raw=True)`,
  set: (name, value) => `${name} = ${value}`,
  get: (name) => name,
  fail: (message) => `raise RuntimeError(${JSON.stringify(message)})`,
  exit: (status) => `exit(${status})`,
  sleep: (ms) => `import time; time.sleep(${ms / 1000})`,
  hang: () => 'import signal, time; _ = signal.signal(signal.SIGINT, signal.SIG_IGN); print("up"); time.sleep(1000)',
  outOfMemory: () => 'b = b"x" * (1 << 30)',
  killOthers: () =>
    `import os
for p in os.listdir("/proc"):
  try:
    if p.isdigit() and int(p) != os.getpid(): os.kill(int(p), 9)
  except OSError: pass
`,
  exitLater: (ms, status) => `import os, threading; threading.Timer(${ms / 1000}, os._exit, [${status}]).start()`,
  copyStdin: () => 'import sys; _ = sys.stdout.write(sys.stdin.read())',
  writeFile: (path, content) =>
    `with open(${JSON.stringify(path)}, "w") as file: _ = file.write(${JSON.stringify(content)})`,
  readFile: (path) => `import sys; _ = sys.stdout.write(open(${JSON.stringify(path)}).read())`,
  taint: () => 'import os; os.utime("/dev/null")',
};

/** For the default script of the fake Python. */
export const miniLanguageSnippets: Snippets = {
  print: (text) => `print ${text}`,
  warn: (text) => `warn ${text}`,
  fill: (bytes) => `fill ${bytes}`,
  show: (text) => `show ${text}`,
  showMany: (count) => Array.from({ length: count }, (_, index) => `show ${index}`).join('\n'),
  set: (name, value) => `set ${name} ${value}`,
  get: (name) => `get ${name}`,
  fail: (message) => `error ${message}`,
  exit: (status) => `exit ${status}`,
  sleep: (ms) => `sleep ${ms}`,
  hang: () => 'print up\nhang',
  outOfMemory: () => 'oom',
  killOthers: () => '',
  exitLater: (ms, status) => `leave ${ms} ${status}`,
  copyStdin: () => 'stdin',
  writeFile: (path, content) => `write ${path} ${content}`,
  readFile: (path) => `read ${path}`,
  taint: () => 'taint',
};
