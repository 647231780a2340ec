import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { command, editLastCell, inOutput, openView, rows, type, waitFor, welcomeButton } from './uiPage.mjs';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** What Cursor's file has before: another server, and a comment. */
const OTHERS = `{
  // Kept.
  "mcpServers": {
    "other": { "command": "other", "env": { "KEY": "secret" } }
  }
}
`;

/**
 * A window and two agents, each a client that starts `hothouse mcp` as the window has written it into Cursor's file: they
 * join the engine of the window.
 */
export async function clickThroughAgents({ page, step, userHome, close }) {
  const file = path.join(userHome, '.cursor/mcp.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, OTHERS);
  const agents = [];
  const newAgent = async (name) => {
    const agent = await startAgent(JSON.parse(withoutComments(readFileSync(file, 'utf8'))), name, userHome);
    agents.push(agent);
    return agent;
  };
  try {
    await step('the welcome view shows before anything runs', () => welcome(page));
    await step('Add to MCP Client shows the change', () => showChange(page, 'Add', file), 'agents-add');
    await step('the change is written, with a backup', () => confirmAdd(page, file));
    await step('a second time nothing changes', () => addAgain(page, file));
    await step('a notebook has a session', () => notebook(page));
    await step('hothouse cp copies files into its session and out of it', () => copy(page, userHome));
    const one = await newAgent('Agent One');
    const two = await newAgent('Agent Two');
    await step("an agent's run and session show live in the tree", () => live(page, one), 'agents-live');
    await step("an agent sees no session of the notebook's or of another agent", () => walls(one, two));
    await step('Share with Agents in the tree lets an agent use a session', () => share(page, one), 'agents-shared');
    await step('the notebook has what the agent changed', () => changed(page));
    await step('an agent that ends takes only its own sessions along', () => leave(page, one, two), 'agents-left');
    await step('Remove from MCP Client shows the change', () => showChange(page, 'Remove', file), 'agents-remove');
    await step('the old entry is removed', () => confirmRemove(page, file));
    await step('the end of the window ends a call with the reason', () => loseWindow(page, two, close));
    await step('the next call of the agent runs in an engine of its own', () => fallBack(two));
  } finally {
    await Promise.all(agents.map(({ client }) => client.close()));
  }
}

/** Starts the server of a client's file over stdio. */
async function startAgent({ mcpServers: { hothouse } }, name, home) {
  await waitFor('the address of the window', () => readdirSync(path.join(home, '.hothouse/servers')).length > 0);
  const client = new Client({ name, version: '1' });
  const { PATH } = process.env;
  await client.connect(new StdioClientTransport({ ...hothouse, env: { PATH, HOME: home } }));
  const call = (tool, args = {}) => client.callTool({ name: tool, arguments: args });
  const open = async () => (await call('open_session', { language: 'python' })).structuredContent.session_id;
  const sessions = async () =>
    (await call('list_sessions')).structuredContent.sessions.map(({ session_id }) => session_id);
  const run = async (session_id, code) =>
    (await call('run_code', { language: 'python', session_id, code })).structuredContent;
  return { name, client, call, open, sessions, run };
}

async function showChange(page, verb, file) {
  const before = readFileSync(file, 'utf8');
  await pickCursor(page, verb);
  const dialog = page.locator('.monaco-dialog-box');
  await dialog.getByText(verb === 'Add' ? 'Add Hothouse to Cursor?' : 'Remove Hothouse from Cursor?').waitFor();
  const text = await dialog.innerText();
  const sign = verb === 'Add' ? '+' : '-';
  if (!new RegExp(`^\\${sign} *"hothouse": `, 'm').test(text)) throw new Error(`The dialog has no diff: ${text}`);
  if (text.includes('secret')) throw new Error('The dialog shows what belongs to another server.');
  if (readFileSync(file, 'utf8') !== before) throw new Error('The file has changed before the answer.');
}

async function pickCursor(page, verb) {
  await command(page, `Hothouse: ${verb === 'Add' ? 'Add to' : 'Remove from'} MCP Client`, { stays: true });
  const row = page.locator('.quick-input-list .monaco-list-row', { hasText: 'Cursor' });
  await row.click();
}

async function confirm(page, verb) {
  await page.locator('.monaco-dialog-box').getByRole('button', { name: verb, exact: true }).click();
  const done = verb === 'Add' ? 'Added Hothouse to Cursor' : 'Removed Hothouse from Cursor';
  await page.locator('.notification-toast', { hasText: done }).first().waitFor();
}

async function confirmAdd(page, file) {
  await confirm(page, 'Add');
  const { mcpServers } = JSON.parse(withoutComments(readFileSync(file, 'utf8')));
  if (mcpServers.other.env.KEY !== 'secret') throw new Error('The other server has changed.');
  const { command: program, args } = mcpServers.hothouse;
  if (!program.endsWith('/.hothouse/bin/hothouse') || args.join() !== 'mcp')
    throw new Error('The entry starts another program.');
  expectBackups(file, [OTHERS]);
}

async function addAgain(page, file) {
  const before = readFileSync(file, 'utf8');
  await pickCursor(page, 'Add');
  await page.locator('.notification-toast', { hasText: 'Cursor has Hothouse already.' }).first().waitFor();
  if (readFileSync(file, 'utf8') !== before) throw new Error('The file has changed.');
  expectBackups(file, [OTHERS]);
  await command(page, 'Notifications: Clear All Notifications');
}

async function confirmRemove(page, file) {
  const before = readFileSync(file, 'utf8');
  await confirm(page, 'Remove');
  const { mcpServers } = JSON.parse(withoutComments(readFileSync(file, 'utf8')));
  if (Object.keys(mcpServers).join() !== 'other') throw new Error(`The file has ${Object.keys(mcpServers)}.`);
  expectBackups(file, [OTHERS, before]);
}

function expectBackups(file, expected) {
  const folder = path.dirname(file);
  const names = readdirSync(folder).filter((name) => name.endsWith('.backup'));
  const found = names.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  if (found.sort().join('\0') !== [...expected].sort().join('\0')) throw new Error(`The backups are ${names}.`);
}

function withoutComments(text) {
  return text.replaceAll(/^\s*\/\/.*$/gm, '');
}

async function welcome(page) {
  await openView(page);
  await welcomeButton(page, 'New Python Session').waitFor();
}

async function notebook(page) {
  await command(page, 'Hothouse: New Python Session');
  await page.locator('.kernel-label', { hasText: 'Hothouse: Python' }).waitFor();
  await type(page, 'count = 41\nprint("set", count)');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('set 41', { exact: true }));
  await sessionRow(page, 'Untitled-1').waitFor();
}

async function copy(page, home) {
  const cp = (from, to, input = '') => {
    const env = { PATH: process.env.PATH, HOME: home };
    return spawnSync(process.execPath, [CLI, 'cp', from, to], { input, env, encoding: 'utf8' });
  };
  // It names those that there are.
  const { stderr } = cp('py-00000000:absent.txt', '-');
  const [, id] = /Open sessions: (\S+)\.$/m.exec(stderr) ?? [];
  if (!id) throw new Error(`hothouse cp says: ${stderr}`);
  const sent = cp('-', `${id}:note.txt`, 'from outside');
  if (sent.status !== 0) throw new Error(`hothouse cp says: ${sent.stderr}`);
  await type(page, 'note = open("note.txt").read()\nprint(open("note.txt", "w").write(note.upper()), note)');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('12 from outside', { exact: true }));
  const { stdout } = cp(`${id}:note.txt`, '-');
  if (!stdout.includes('FROM OUTSIDE')) throw new Error(`hothouse cp brings ${JSON.stringify(stdout)}.`);
}

function sessionRow(page, label) {
  return rows(page).filter({ hasText: label }).filter({ hasText: 'Python' }).first();
}

async function live(page, agent) {
  agent.own = await agent.open();
  await sessionRow(page, agent.name).waitFor();
  agent.ended = agent.run(agent.own, 'import time\nfor n in range(8):\n    print(n)\n    time.sleep(1)');
  await sessionRow(page, agent.name).filter({ hasText: 'running' }).waitFor();
}

async function walls(one, two) {
  const { status, stdout } = await one.ended;
  if (status !== 'ok' || !stdout.endsWith('7\n')) throw new Error(`The run ended with ${status}: ${stdout}`);
  two.own = await two.open();
  for (const agent of [one, two]) {
    const seen = await agent.sessions();
    if (seen.join() !== agent.own) throw new Error(`${agent.name} sees ${seen}.`);
  }
  const foreign = await two.call('run_code', { language: 'python', session_id: one.own, code: '1' });
  if (!JSON.stringify(foreign).includes('There is no session')) throw new Error('A foreign session exists.');
}

async function share(page, agent) {
  // A sandbox that comes meanwhile moves the rows below it.
  await rows(page).filter({ hasText: '2 warm' }).first().waitFor();
  const row = sessionRow(page, 'Untitled-1');
  await row.click({ button: 'right' });
  await page.locator('.monaco-menu').getByText('Share with Agents').click();
  await row.filter({ hasText: 'shared' }).waitFor();
  const shared = (await agent.sessions()).find((id) => id !== agent.own);
  const { status, result } = await agent.run(shared, 'count += 1\ncount');
  if (status !== 'ok' || result !== '42') throw new Error(`The shared session answered ${status}: ${result}`);
}

async function changed(page) {
  await page.locator('.notebookOverlay .cell-editor-part').last().click();
  await editLastCell(page);
  await type(page, 'print("agents made it", count)');
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText('agents made it 42', { exact: true }));
}

async function leave(page, one, two) {
  await one.client.close();
  await sessionRow(page, one.name).waitFor({ state: 'detached' });
  await sessionRow(page, 'Untitled-1').waitFor();
  await sessionRow(page, two.name).waitFor();
  const { result } = await two.run(two.own, '6 * 7');
  if (result !== '42') throw new Error('The other agent has lost its session.');
}

async function loseWindow(page, agent, close) {
  const lost = agent.run(agent.own, 'import time; time.sleep(300)').then(
    () => 'an answer',
    (error) => String(error.message),
  );
  await sessionRow(page, agent.name).filter({ hasText: 'running' }).waitFor();
  await close();
  const reason = await lost;
  if (!reason.includes('The VS Code window whose engine served this call has ended')) throw new Error(reason);
}

async function fallBack(agent) {
  const gone = await agent.call('run_code', { language: 'python', session_id: agent.own, code: '1' });
  if (!JSON.stringify(gone).includes('There is no session')) throw new Error('The lost session exists.');
  const { status, result } = await agent.run(undefined, '2 ** 10');
  if (status !== 'ok' || result !== '1024') throw new Error(`The new engine answered ${status}: ${result}`);
}
