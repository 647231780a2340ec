import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { asOrdinaryUser } from '../../src/setup/ordinaryUser.mjs';
import { startEditor } from './codeServer.mjs';
import { clickThroughAgents } from './uiAgents.mjs';
import { clickThroughEnvironments, labFolder, removeEnvironments } from './uiEnvironments.mjs';
import { clickThroughFolder } from './uiFolder.mjs';
import { clickThroughLanguages, startFeed } from './uiLanguages.mjs';
import { clickThroughLean } from './uiLean.mjs';
import { clickThroughLocal } from './uiLocal.mjs';
import { clickThroughNetwork, startNetwork } from './uiNetwork.mjs';
import { clickThroughNotebooks, notebooksFolder } from './uiNotebooks.mjs';
import { clickThroughProblem } from './uiProblem.mjs';
import { clickThroughReload } from './uiReload.mjs';
import { clickThroughSession } from './uiSession.mjs';
import { clickThroughWindows } from './uiWindows.mjs';

/** Installs the packed extension and drives it by keyboard and mouse: with Docker, with a Lean image if given, without Docker. */
export async function runUiTests({ out, shots, folder, vsix, report, leanImage, only, ...editorFiles }) {
  await drive('session', { 'hothouse.lean.image': 'hothouse/absent:latest' }, clickThroughSession);
  await drive('reload', {}, clickThroughReload);
  await drive('folder', {}, clickThroughFolder, shopFolder(out));
  await drive('notebooks', {}, clickThroughNotebooks, notebooksFolder(out));
  if (!only || only === 'languages') await driveLanguages();
  await drive('agents', {}, clickThroughAgents, folder, ownHome(out, 'agents'));
  await drive('windows', {}, clickThroughWindows, folder, ownHome(out, 'windows'));
  removeEnvironments();
  await drive('environments', {}, clickThroughEnvironments, labFolder(out), { asksForTrust: true }).finally(
    // Images can be removed once the editor has removed its sandboxes.
    removeEnvironments,
  );
  if (!only || only === 'network') await driveNetwork();
  if (leanImage) await drive('lean', { 'hothouse.lean.image': leanImage }, clickThroughLean);
  if (!only || only === 'local') await driveLocal();
  await drive('problem', { 'hothouse.docker.host': 'unix:///nonexistent.sock' }, clickThroughProblem);

  async function driveLanguages() {
    const feed = await startFeed();
    await drive('languages', feed.settings, clickThroughLanguages).finally(feed.dispose);
  }

  async function driveNetwork() {
    const network = await startNetwork(out);
    const click = (given) => clickThroughNetwork(given, network);
    await drive('network', network.settings, click, network.folder).finally(network.dispose);
  }

  async function driveLocal() {
    const sales = salesFolder(out);
    // Of a user without rights to Docker, who has what runs the editor in folders that they see.
    const shown = [path.dirname(editorFiles.node), editorFiles.codeServer.split('/node_modules/')[0]];
    await asOrdinaryUser(
      async (user) => {
        user.own(sales);
        await drive('local', {}, clickThroughLocal, user.at(sales), { user, env: user.env });
      },
      {
        shown,
        otherwise: (why) => console.log(`The window without a container engine was skipped: ${why}`),
      },
    );
  }

  async function drive(name, machineSettings, click, opened = folder, more = {}) {
    if (only && name !== only) return;
    const home = path.join(out, name);
    mkdirSync(home, { recursive: true });
    const editor = await startEditor({
      ...editorFiles,
      ...more,
      out: home,
      folder,
      vsix,
      settings: LOOK,
      machineSettings: { ...SHORT, ...machineSettings },
    });
    try {
      await editor.page.goto(`${editor.address}/?folder=${encodeURIComponent(opened)}`);
      await editor.page.waitForSelector('.monaco-workbench');
      await click({
        page: editor.page,
        step: stepper(editor.page, name, shots, report),
        folder: opened,
        userFolder: `${home}/user`,
        userHome: more.env?.HOME,
        address: editor.address,
        close: editor.stop,
      });
    } finally {
      await editor.page.screenshot({ path: path.join(shots, `${name}-last.png`) }).catch(() => {});
      await editor.stop();
    }
  }
}

/** Sandboxes of sessions end soon after the editor. */
const SHORT = { 'hothouse.sessions.keepSeconds': 60 };

/** A home folder where no other window of the user is found. */
function ownHome(out, name) {
  const home = path.join(out, `${name}-home`);
  mkdirSync(home, { recursive: true });
  return { env: { HOME: home } };
}

/** A folder with data. */
function salesFolder(out) {
  const folder = path.join(out, 'sales');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'sales.csv'), 'month\n1\n2\n');
  return folder;
}

/** A folder with data, a module and a secret. */
function shopFolder(out) {
  const shop = path.join(out, 'shop');
  mkdirSync(path.join(shop, 'data'), { recursive: true });
  writeFileSync(path.join(shop, 'data/sales.csv'), 'month\n');
  writeFileSync(path.join(shop, 'helpers.py'), 'def total(path):\n    return open(path).read()\n');
  writeFileSync(path.join(shop, '.env'), 'TOKEN=secret\n');
  return shop;
}

/** Settings for stable screenshots. */
const LOOK = {
  'security.workspace.trust.startupPrompt': 'never',
  'workbench.colorTheme': 'Default Dark Modern',
  'editor.editContext': false,
  'editor.autoClosingBrackets': 'never',
  'editor.autoClosingQuotes': 'never',
  'editor.autoIndent': 'none',
  'editor.suggest.showWords': false,
  'notebook.globalToolbarShowLabel': 'always',
  'notebook.output.textLineLimit': 100,
};

/** Takes a screenshot without the hover of the last click. */
async function screenshot(page, options) {
  await page.mouse.move(600, 788);
  await page.waitForTimeout(700);
  await page.screenshot(options);
}

/** Steps build on each other, so the first failure ends the run. */
function stepper(page, name, shots, report) {
  return async (title, action, shot, clip) => {
    try {
      const value = await action();
      if (shot) await screenshot(page, { path: path.join(shots, `${shot}.png`), clip });
      report(`ok ${name}: ${title}`);
      return value;
    } catch (error) {
      await page.screenshot({ path: path.join(shots, `${name}-failed.png`) }).catch(() => {});
      report(`not ok ${name}: ${title}`);
      report(`# ${String(error?.message ?? error).replaceAll('\n', '\n# ')}`);
      throw new Error(`${name} stopped at: ${title}`);
    }
  };
}
