import { expect, test } from 'vitest';
import { buildSettings, type MachineTexts, machineBuildSettings } from '../../src/host/buildSettings.ts';

const BARE: MachineTexts = {
  aptSources: '',
  aptConfig: '',
  pipConfig: '',
  npmConfig: '',
  nugetConfig: '',
  certificates: '',
};

function settings(facts: Partial<MachineTexts>, env: Record<string, string> = {}) {
  return buildSettings(env, { ...BARE, ...facts });
}

test('a machine without settings adds none to a build', () => {
  expect(settings({})).toEqual({ buildArgs: {}, files: {} });
});

test('proxies reach a build in both spellings, the lower one winning', () => {
  const env = { HTTP_PROXY: 'http://upper:1', http_proxy: 'http://lower:1', NO_PROXY: 'localhost' };
  expect(settings({}, env).buildArgs).toEqual({
    HTTP_PROXY: 'http://lower:1',
    http_proxy: 'http://lower:1',
    NO_PROXY: 'localhost',
    no_proxy: 'localhost',
  });
});

test('the index of NuGet is the first source with an address of version 3', () => {
  const sourcesOf = (...values: string[]) =>
    `<configuration>\n<packageSources>\n${values.map((value) => `<add key="x" value="${value}" />`).join('\n')}\n</packageSources>\n</configuration>`;
  const nugetConfig = sourcesOf(
    '/home/me/feed',
    'https://old.example/api/v2/',
    'https://feed.example/v3/index.json?a=1&amp;b=/index.json',
  );
  expect(settings({ nugetConfig }).files).toEqual({
    'machine/nuget.index': 'https://feed.example/v3/index.json?a=1&b=/index.json\n',
  });
  expect(settings({ nugetConfig: sourcesOf('/home/me/feed') }).files).toEqual({});
  expect(settings({ nugetConfig: '<configuration></configuration>' }).files).toEqual({});
});

test('mirrors are found in deb822 files', () => {
  const aptSources = [
    'Types: deb',
    '# http://other.example/debian',
    'URIs: https://mirror.example/debian/',
    'Suites: bookworm',
    '',
    'Types: deb',
    'URIs: https://mirror.example/debian-security',
  ].join('\n');
  expect(settings({ aptSources }).buildArgs).toEqual({
    APT_MIRROR: 'https://mirror.example/debian',
    APT_SECURITY_MIRROR: 'https://mirror.example/debian-security',
  });
});

test('mirrors are found in one-line files, among the sources of other programs', () => {
  const aptSources = [
    'deb https://packages.example/apt tool main',
    '# deb http://other.example/debian trixie main',
    'deb [arch=amd64 signed-by=/usr/share/keyrings/debian.gpg] http://mirror.example/pub/debian trixie main',
  ].join('\n');
  expect(settings({ aptSources }).buildArgs).toEqual({ APT_MIRROR: 'http://mirror.example/pub/debian' });
});

test('commented sources, sources of source code and the security archive alone give no mirror', () => {
  const unused = '# deb http://old.example/debian trixie main\ndeb-src http://src.example/debian trixie main';
  expect(settings({ aptSources: unused }).buildArgs).toEqual({});
  expect(settings({ aptSources: 'URIs: http://mirror.example/debian-security' }).buildArgs).toEqual({
    APT_SECURITY_MIRROR: 'http://mirror.example/debian-security',
  });
});

test('a machine without an archive of Debian has no mirror', () => {
  expect(settings({ aptSources: 'deb https://packages.example/apt tool main' }).buildArgs).toEqual({});
});

test('apt settings that decide how an archive is reached are kept, others are not', () => {
  const kept = ['Acquire::http::Proxy "http://cache:3142";', 'Acquire::Check-Valid-Until "false";'];
  const left = ['Acquire::https::CaInfo "/etc/here.pem";', 'Acquire::http::Proxy-Auto-Detect "/usr/bin/find-proxy";'];
  const { files } = settings({ aptConfig: [...left, ...kept, 'Acquire::http::Proxy "";', 'Dir "/";'].join('\n') });
  expect(files).toEqual({ 'machine/apt.conf': `${kept.join('\n')}\n` });
});

test("pip's index comes from its files, and a variable is stronger", () => {
  const pipConfig =
    '[global]\nindex-url = https://old.example/simple\nindex_url=https://files.example/simple\ntimeout = 9';
  expect(settings({ pipConfig }).files['machine/pip.conf']).toBe(
    '[global]\nindex-url = https://files.example/simple\n',
  );
  const env = { PIP_INDEX_URL: 'https://variable.example/simple', PIP_TRUSTED_HOST: 'variable.example' };
  expect(settings({ pipConfig }, env).files['machine/pip.conf']).toBe(
    '[global]\nindex-url = https://variable.example/simple\ntrusted-host = variable.example\n',
  );
});

test('addresses that may carry a password travel as files, never as build arguments', () => {
  const secret = 'https://user:password@index.example/simple';
  const { buildArgs, files } = settings({ npmConfig: `registry=${secret}` }, { PIP_INDEX_URL: secret });
  expect(JSON.stringify(buildArgs)).not.toContain('password');
  expect(Object.keys(files)).toEqual(['machine/pip.conf', 'machine/npmrc']);
});

test("npm's registry is kept, its tokens are not", () => {
  const npmConfig = 'registry=https://index.example/npm/\n//index.example/npm/:_authToken=abc\ncafile=/here.pem';
  expect(settings({ npmConfig }).files).toEqual({ 'machine/npmrc': 'registry = https://index.example/npm/\n' });
});

test('reads the real machine, and takes its certificates from the variables that name them', async () => {
  const { files } = await machineBuildSettings({ HOME: '/nowhere', SSL_CERT_FILE: import.meta.filename });
  expect(files['machine/ca-certificates.crt']).toContain('takes its certificates from the variables that name them');
});
