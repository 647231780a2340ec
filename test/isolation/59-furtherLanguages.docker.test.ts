import { afterEach, describe, expect, it } from 'vitest';
import { isOnLocalHost } from '../testHost.ts';
import { changedAgent } from './changedAgent.ts';
import { type Isolated, isolationEngine, run, sandboxes } from './harness.ts';

/** Code that leaves what it can, in every way that its language has; and code that prints one line of what it finds of that. */
interface Attack {
  readonly plant: string;
  readonly look: string;
  /** What it finds where nothing is reset; the rest ends with the process of the run. */
  readonly lasting: readonly string[];
}

const PLACES = ['/workspace', '/tmp', '/dev/shm'];
const FILES = PLACES.map((place) => `file ${place}`);
const SHELL_LOOK = `
for place in ${PLACES.join(' ')}; do [[ -n $(ls -A $place 2>/dev/null | grep mark) ]] && printf '%s, ' "file $place"; done
grep -qx sleep /proc/[0-9]*/comm 2>/dev/null && printf 'process, '`;

const ATTACKS: Readonly<Record<string, Attack>> = {
  node: {
    plant: `const fs = require('fs');
for (const place of ${JSON.stringify(PLACES)}) fs.writeFileSync(place + '/.mark', 'x');
fs.mkdirSync('/workspace/node_modules/mark', { recursive: true });
fs.writeFileSync('/workspace/node_modules/mark/index.js', 'module.exports = 1');
fs.writeFileSync('/workspace/package.json', '{ "type": "module" }');
require('child_process').spawn('sleep', ['3600'], { detached: true, stdio: 'ignore' }).unref();
process.env.MARK = '1';
process.umask(0o777);
globalThis.mark = 1;
Object.prototype.mark = 1;
Array.prototype.map = () => ['poisoned'];
JSON.parse = () => 'poisoned';
require('fs').mark = 1;
require('module').registerHooks?.({ resolve: () => ({ url: 'data:text/javascript,export default 666', shortCircuit: true }) });
process.chdir('/tmp');`,
    look: `const fs = require('fs');
const found = [];
for (const place of ${JSON.stringify(PLACES)}) if (fs.existsSync(place + '/.mark')) found.push('file ' + place);
try { require('mark'); found.push('module'); } catch {}
if (fs.readdirSync('/proc').some((pid) => /^\\d/.test(pid) && read(pid) === 'sleep')) found.push('process');
function read(pid) { try { return fs.readFileSync('/proc/' + pid + '/comm', 'utf8').trim(); } catch { return ''; } }
if (process.env.MARK) found.push('variable');
if ({}.mark || fs.mark || globalThis.mark) found.push('property');
if ([1].map(String)[0] !== '1' || JSON.parse('1') !== 1) found.push('function');
if (process.cwd() !== '/workspace') found.push('folder');
if (process.umask() === 0o777) found.push('mask');
console.log(found.join(', ') || 'nothing');`,
    lasting: [...FILES, 'module', 'process'],
  },
  bash: {
    plant: `for place in ${PLACES.join(' ')}; do echo x >$place/.mark; done
echo 'export MARK=1; ls() { echo poisoned; }' | tee ~/.bashrc ~/.bash_profile ~/.profile ~/.inputrc >/tmp/env.sh
mkdir -p ~/bin && printf '#!/bin/sh\\necho poisoned\\n' >~/bin/cat && chmod 755 ~/bin/cat
export BASH_ENV=/tmp/env.sh ENV=/tmp/env.sh MARK=1 PATH=~/bin:$PATH
grep() { echo poisoned; }; export -f grep; alias ls='echo poisoned'; umask 777
trap 'echo late >/tmp/late-mark' EXIT
setsid bash -c 'while :; do sleep 3600; done' >/dev/null 2>&1 &
cd /tmp; set -o noglob; ulimit -S -n 20`,
    look: `${SHELL_LOOK}
[[ $MARK$BASH_ENV$ENV ]] && printf 'variable, '
[[ $(type -t grep ls cat | sort -u) == file ]] || printf 'function, '
[[ $PWD == /workspace ]] || printf 'folder, '
[[ $(umask) == 0777 || $- == *f* || $(ulimit -n) == 20 ]] && printf 'option, '
echo nothing`,
    lasting: [...FILES, 'process'],
  },
  csharp: {
    plant: `foreach (var place in new[] { ${PLACES.map((place) => `"${place}"`).join(', ')} }) File.WriteAllText(place + "/.mark", "x");
Environment.SetEnvironmentVariable("MARK", "1");
AppDomain.CurrentDomain.SetData("mark", 1);
Directory.SetCurrentDirectory("/tmp");
Console.SetOut(TextWriter.Null);
System.Diagnostics.Process.Start("setsid", "sleep 3600");
new Thread(() => { while (true) { File.WriteAllText("/tmp/late-mark", "x"); Thread.Sleep(1); } }) { IsBackground = true }.Start();
var mark = 1;`,
    look: `var found = new List<string>();
foreach (var place in new[] { ${PLACES.map((place) => `"${place}"`).join(', ')} }) if (File.Exists(place + "/.mark")) found.Add("file " + place);
string Name(string folder) { try { return File.ReadAllText(folder + "/comm").Trim(); } catch (Exception) { return ""; } }
if (Directory.GetDirectories("/proc").Any(folder => Name(folder) == "sleep")) found.Add("process");
if (Environment.GetEnvironmentVariable("MARK") != null || AppDomain.CurrentDomain.GetData("mark") != null) found.Add("variable");
if (Directory.GetCurrentDirectory() != "/workspace") found.Add("folder");
Thread.Sleep(20);
if (File.Exists("/tmp/late-mark")) found.Add("thread");
Console.WriteLine(found.Count == 0 ? "nothing" : string.Join(", ", found));`,
    lasting: [...FILES, 'process', 'thread'],
  },
  r: {
    plant: `for (place in c(${PLACES.map((place) => `"${place}"`).join(', ')})) writeLines("x", file.path(place, ".mark"))
for (file in c("~/.Rprofile", "/workspace/.Rprofile")) writeLines("mark <- 1", file)
writeLines("MARK=1", "~/.Renviron")
save(place, file = "/workspace/.RData")
Sys.setenv(MARK = "1", R_PROFILE_USER = "/workspace/.Rprofile")
options(mark = 1, error = quote(cat("poisoned")))
assign("mark", 1, envir = .GlobalEnv)
unlockBinding("sum", baseenv()); assign("sum", function(...) "poisoned", baseenv())
setwd("/tmp"); set.seed(1); Sys.umask("777")
invisible(reg.finalizer(globalenv(), function(e) writeLines("x", "/tmp/late-mark"), onexit = TRUE))
system("setsid sleep 3600 >/dev/null 2>&1 &")`,
    look: `found <- character()
for (place in c(${PLACES.map((place) => `"${place}"`).join(', ')})) if (file.exists(file.path(place, ".mark"))) found <- c(found, paste("file", place))
name <- function(file) tryCatch(suppressWarnings(readLines(file, n = 1L)), error = function(e) "")
if ("sleep" %in% unlist(lapply(Sys.glob("/proc/[0-9]*/comm"), name))) found <- c(found, "process")
if (Sys.getenv("MARK") != "" || !is.null(getOption("mark")) || exists("mark")) found <- c(found, "variable")
if (!identical(sum(1, 1), 2)) found <- c(found, "function")
if (getwd() != "/workspace") found <- c(found, "folder")
cat(if (length(found)) paste(found, collapse = ", ") else "nothing", "\\n", sep = "")`,
    lasting: [...FILES, 'process'],
  },
};

/** The agent that reports a clean reset without one. */
const NO_RESET = `
def wipe(*_):
    return {"clean": True, "leftovers": [], "killed": 0, "fds": 0, "memoryBytes": 0, "durationMs": 0}`;

describe('a one-shot run', () => {
  let isolated: Isolated | undefined;
  afterEach(() => isolated?.dispose());

  /** What the second run finds of the first one, in the same sandbox. */
  async function found(language: string, { plant, look }: Attack, agent?: Buffer): Promise<string[]> {
    isolated = await isolationEngine({}, agent ? { agent } : {});
    expect(await run(isolated, plant, { language })).toMatchObject({ status: 'ok', error: null });
    const before = sandboxes(isolated);
    const seen = await run(isolated, look, { language });
    expect(seen).toMatchObject({ status: 'ok', stderr: '' });
    expect(sandboxes(isolated)).toEqual(before);
    return seen.stdout
      .trim()
      .replace(/, nothing$/, '')
      .split(', ');
  }

  // Without a container engine Bash is the machine's own, Node.js an environment that takes long to build, and C# and R are missing.
  const languages = Object.entries(ATTACKS).filter(([language]) => !isOnLocalHost || language === 'bash');
  for (const [language, attack] of languages) {
    it(`of ${language} finds nothing of the one before in the same sandbox`, async () => {
      expect(await found(language, attack)).toEqual(['nothing']);
    });

    it(`of ${language} finds files and processes of the one before where nothing is reset`, async () => {
      expect(await found(language, attack, await changedAgent(NO_RESET))).toEqual(attack.lasting);
    });
  }
});
