import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentNames } from './uiEnvironments.mjs';
import { command, inOutput, newSession, openView, row, rows, toast, type } from './uiPage.mjs';

const BUILD = { timeout: 240_000 };
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const ENVIRONMENT = 'e2e-network';
const IMAGE = `hothouse/proxy-test:${randomBytes(6).toString('hex')}`;

/**
 * A server of this machine that sandboxes can be allowed to reach, as `allowed.test`: its port, a folder that defines an
 * environment for it, and the settings by which a proxy knows its address.
 */
export async function startNetwork(out) {
  const server = createServer((_, response) => response.end('reached')).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const host = `allowed.test:${server.address().port}`;
  const folder = path.join(out, 'network-folder');
  mkdirSync(path.join(folder, '.hothouse'), { recursive: true });
  writeFile(folder, [host]);
  const address = networkInterfaces().docker0?.[0]?.address ?? '172.17.0.1';
  const steps = [
    `printf '${address} allowed.test\\n${address} other.test\\n' >/opt/hothouse/hosts`,
    "sed -i '1i hosts_file /opt/hothouse/hosts' /opt/hothouse/squid.conf",
    `sed -i 's#getent ahostsv4 "$host"#sed -n "s/ $host$//p" /opt/hothouse/hosts#' /opt/hothouse/start.sh`,
  ];
  const input = ['FROM hothouse/proxy:latest', ...steps.map((step) => `RUN ${step}`)].join('\n');
  const { status, stderr } = spawnSync('docker', ['build', '--quiet', '--tag', IMAGE, '-'], {
    input,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return {
    ...{ folder, host },
    settings: { 'hothouse.network.proxyImage': IMAGE, 'hothouse.network.privateHosts': [host] },
    dispose: () => {
      server.close();
      spawnSync(process.execPath, [CLI, 'env', 'remove', ENVIRONMENT]);
      spawnSync('docker', ['image', 'rm', '--force', IMAGE]);
    },
  };
}

/** An environment with hosts: asked for with their names, asked for again when they change; what its proxy has decided. */
export async function clickThroughNetwork({ page, step, folder }, { host }) {
  await step("the question about a workspace's file names the hosts", () => asked(page, host), 'network-question');
  await step('Create asks for consent, and Cancel creates nothing', () => declined(page, host));
  await step('changed hosts are asked for again', () => changed(page, folder, host), 'network-consent');
  await step('Allow builds it', () => allowed(page));
  await step('code reaches the allowed host and no other', () => reached(page, host));
  await step('the tree shows both decisions under the environment', () => decided(page, host), 'network-decisions');
}

function writeFile(folder, hosts) {
  const lines = [
    'environments:',
    `  ${ENVIRONMENT}:`,
    '    language: python',
    `    network: {allow: [${hosts.join(', ')}]}`,
  ];
  writeFileSync(path.join(folder, '.hothouse/environments.yaml'), `${lines.join('\n')}\n`);
}

async function asked(page, host) {
  await openView(page);
  await toast(page, `Code in ${ENVIRONMENT} reaches ${host}.`).waitFor();
}

async function declined(page, host) {
  await toast(page, ENVIRONMENT).getByRole('button', { name: 'Create' }).click();
  const question = dialog(page, `Let code in the environment ${ENVIRONMENT} reach ${host}?`);
  await question.waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  if (environmentNames().includes(ENVIRONMENT)) throw new Error('it is there without consent');
}

async function changed(page, folder, host) {
  writeFile(folder, [host, 'more.test']);
  await toast(page, `Code in ${ENVIRONMENT} reaches ${host} and more.test.`).waitFor();
  await toast(page, ENVIRONMENT).getByRole('button', { name: 'Create' }).click();
  await dialog(page, `reach ${host} and more.test?`).waitFor();
}

async function allowed(page) {
  await dialog(page, ENVIRONMENT).getByRole('button', { name: 'Allow' }).click();
  await toast(page, `Ready: ${ENVIRONMENT}`).waitFor(BUILD);
  await row(page, ENVIRONMENT).waitFor();
}

async function reached(page, host) {
  await newSession(page);
  await command(page, 'Hothouse: Select Environment', { stays: true });
  await page.locator('.quick-input-list .monaco-list-row', { hasText: ENVIRONMENT }).first().click();
  const code = `import urllib.request, urllib.error
for host in ["${host}", "other.test"]:
    try: print("answer", host, urllib.request.urlopen(f"http://{host}/").read().decode())
    except urllib.error.HTTPError as error: print("answer", host, error.code)`;
  await type(page, code);
  await page.keyboard.press('Shift+Enter');
  await inOutput(page, (frame) => frame.getByText(`answer ${host} reached`));
  await inOutput(page, (frame) => frame.getByText('answer other.test 403'));
}

async function decided(page, host) {
  const network = row(page, '1 host denied');
  await network.waitFor();
  if ((await network.getAttribute('aria-expanded')) !== 'true') await network.click();
  await rows(page).filter({ hasText: host }).filter({ hasText: 'allowed' }).first().waitFor();
  await rows(page).filter({ hasText: 'other.test:80' }).filter({ hasText: 'denied' }).first().waitFor();
}

function dialog(page, hasText) {
  return page.locator('.monaco-dialog-box', { hasText });
}
