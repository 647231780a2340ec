import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { command, complete, inOutput, openView, toast, type, welcomeButton } from './uiPage.mjs';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const FEED = fileURLToPath(new URL('../engine/packages/nugetFeedProcess.ts', import.meta.url));

/** Makes an assembly `Greeting` and prints it in base64. */
const ASSEMBLY = `
using System.IO; using System.Reflection; using System.Reflection.Emit;
var made = AppDomain.CurrentDomain.DefineDynamicAssembly(new AssemblyName("Greeting"), AssemblyBuilderAccess.Save, "/tmp");
var module = made.DefineDynamicModule("Greeting", "Greeting.dll");
var words = module.DefineType("Greeting.Words", TypeAttributes.Public | TypeAttributes.Class);
var isConst = FieldAttributes.Public | FieldAttributes.Static | FieldAttributes.Literal;
words.DefineField("Text", typeof(string), isConst).SetConstant("greeting");
words.CreateType();
made.Save("Greeting.dll");
Console.Write(Convert.ToBase64String(File.ReadAllBytes("/tmp/Greeting.dll")));
`;

/**
 * For each kernel: a cell that sets `kept` and prints a text that its code does not have, one with a rich value or a
 * printed one, one that fails in its second line, and one that computes for ever after a first output.
 */
const KERNELS = [
  {
    name: 'Node.js',
    title: 'New Node.js Session',
    first: ['const kept: number = 6 * 7;\nconsole.log("first " + kept);', 'first 42'],
    rich: ["import { sep } from 'node:path';\njupyter.html('<b>rich ' + sep + ' ' + (kept + 1) + '</b>')", 'rich / 43'],
    failing: ['const one = 1;\nnull.field;', 'cell 3>:2:6'],
    endless: ['console.log("turn", 1);\nwhile (true) {}', 'Interrupted'],
    after: ['await Promise.resolve(kept + 2)', '44'],
    completion: ['kep', 'kept'],
  },
  {
    name: 'Bash',
    title: 'New Bash Session',
    first: ['kept=$((6 * 7))\necho "first $kept"', 'first 42'],
    rich: ['cd /tmp\nprintf "rich %s %s\\n" "$PWD" $((kept + 1))', 'rich /tmp 43'],
    failing: ['true\nls /none/$kept', 'Line 2 of <cell 3> failed'],
    endless: ['echo turn $kept\nwhile :; do :; done;', 'Interrupted'],
    after: ['echo "after $PWD $((kept + 2))"', 'after /tmp 44'],
    completion: ['echo $kep', '$kept'],
  },
  {
    name: 'C#',
    title: 'New C# Session',
    first: ['var kept = 6 * 7;\nConsole.WriteLine("first " + kept);', 'first 42'],
    rich: ['string Rich(int n) => "rich " + n;\nRich(kept + 1)', 'rich 43'],
    failing: ['var one = 1;\nthrow new InvalidOperationException("bad " + kept);', 'bad 42'],
    endless: ['Console.WriteLine("turn " + kept);\nwhile (true) {}', 'The cell was interrupted'],
    after: ['kept + 2', '44'],
    added: ['Greeting', 'Installed Greeting 1.2.0.', 'Greeting.Words.Text + kept', 'greeting42'],
    completion: ['kep', 'kept'],
  },
  {
    name: 'R',
    title: 'New R Session',
    first: ['kept <- 6 * 7\ncat("first", kept, "\\n")', 'first 42'],
    rich: ['plot(1:10, main = "A plot")\npaste("rich", kept + 1)', 'rich 43'],
    failing: ['one <- 1\nstop("bad ", kept)', 'bad 42'],
    endless: ['cat("turn", kept, "\\n")\nwhile (TRUE) {}', 'The cell was interrupted'],
    after: ['paste("after", kept + 2)', 'after 44'],
    completion: ['kep', 'kept'],
  },
];

/** Serves packages for C#: the settings with its address, and its end. */
export async function startFeed() {
  const made = spawnSync(process.execPath, [CLI, 'run', 'csharp', '-'], { input: ASSEMBLY, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  const feed = spawn(process.execPath, ['--import', 'tsx', FEED], { stdio: ['pipe', 'pipe', 'inherit'] });
  feed.stdin.end(Buffer.from(made.stdout, 'base64'));
  const [url] = await once(feed.stdout, 'data');
  return { settings: { 'hothouse.packages.nugetIndex': String(url).trim() }, dispose: () => feed.kill() };
}

/** A notebook with each of the kernels Hothouse: Node.js, Bash, C# and R. */
export async function clickThroughLanguages({ page, step }) {
  await step('the welcome view has a session of each language', () => welcome(page));
  for (const kernel of KERNELS) {
    await step(`${kernel.title} opens a notebook with the kernel`, () => open(page, kernel));
    await step(`a cell of ${kernel.name} runs`, () => cell(page, kernel.first));
    await step(`a value of ${kernel.name} is shown`, () => cell(page, kernel.rich));
    await step(`an error of ${kernel.name} names its line or message`, () => cell(page, kernel.failing));
    await step(`the interrupt button stops a cell of ${kernel.name}`, () => interrupt(page, kernel));
    await step(`a session of ${kernel.name} keeps its variables`, () => cell(page, kernel.after));
    if (kernel.added) {
      await step(`Add Packages installs into a session of ${kernel.name}`, () => added(page, kernel.added));
    }
    await step(
      `completions of ${kernel.name} propose variables`,
      () => complete(page, ...kernel.completion),
      `language-${kernel.name.replace('#', 'sharp')}`,
    );
    await command(page, 'View: Revert and Close Editor');
  }
}

async function welcome(page) {
  await openView(page);
  for (const { title } of KERNELS) await welcomeButton(page, title).waitFor();
}

async function open(page, { name, title }) {
  await command(page, `Hothouse: ${title}`);
  await page.locator('.notebookOverlay').waitFor();
  await page.locator('.kernel-label', { hasText: `Hothouse: ${name}` }).waitFor();
}

async function cell(page, [code, expected]) {
  await type(page, code);
  // Suggestions for its last word would take the key.
  await page.waitForTimeout(500);
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText(expected).first());
}

async function added(page, [name, report, code, expected]) {
  await command(page, 'Hothouse: Add Packages', { stays: true });
  const question = page.locator('.quick-input-widget', { hasText: 'Names of packages' }).locator('input.input').first();
  await question.fill(name);
  await page.keyboard.press('Enter');
  await toast(page, report).waitFor({ timeout: 120_000 });
  await page.locator('.notebookOverlay .cell-editor-part .view-lines').last().click();
  await cell(page, [code, expected]);
}

async function interrupt(page, { endless: [code, expected] }) {
  await cell(page, [code, /^turn \d+/]);
  await page
    .locator('.notebook-toolbar-container')
    .getByRole('button', { name: /Interrupt/ })
    .first()
    .click();
  await inOutput(page, (frame) => frame.getByText(expected).first());
  await page.locator('.notebookOverlay .cell-editor-part .view-lines').last().click();
}
