import { messageOf } from '../../base/log.ts';
import type { EngineDependencies, ImageSource } from '../deps.ts';
import type { Options } from '../options.ts';

/** How an installer reaches package indexes. */
export interface IndexSettings {
  /** Empty: the installer's own default. */
  readonly index: string;
  /** Of npm; empty: its own default. */
  readonly npmIndex: string;
  /** Of NuGet; empty: none is known. */
  readonly nugetIndex: string;
  readonly extraIndexes: readonly string[];
  readonly trustedHosts: readonly string[];
  /** Environment variables. */
  readonly proxies: Readonly<Record<string, string>>;
  /** As PEM; empty: those of the image. */
  readonly certificates: string;
}

const PROXY = /^(?:https?|no)_proxy$/i;

/** The file that the options name cannot be read; the message is a sentence. */
export class UnreadableCertificates extends Error {}

/** The text of the file that `packages.certificates` names; empty without one. Rejects with `UnreadableCertificates`. */
export async function optionCertificates(
  { certificates }: Options['packages'],
  read: EngineDependencies['certificates'],
): Promise<string> {
  if (!certificates) return '';
  try {
    return (await read?.(certificates)) ?? '';
  } catch (error) {
    throw new UnreadableCertificates(`The file of packages.certificates cannot be read: ${messageOf(error)}.`);
  }
}

/**
 * What the options say, and where they say nothing what this machine has for its own builds. `certificates` is the text of
 * the options' file.
 */
export function indexSettings(
  { index, npmIndex, nugetIndex, extraIndexes, trustedHosts, proxy, noProxy }: Options['packages'],
  { files = {}, buildArgs }: Pick<ImageSource, 'files' | 'buildArgs'>,
  certificates: string,
): IndexSettings {
  const pip = files['machine/pip.conf'] ?? '';
  const list = (key: string) => configured(pip, key).split(/\s+/).filter(Boolean);
  return {
    index: index || configured(pip, 'index-url'),
    npmIndex: npmIndex || configured(files['machine/npmrc'] ?? '', 'registry'),
    nugetIndex: nugetIndex || (files['machine/nuget.index'] ?? '').trim(),
    // Those of another index are not searched beside the one that the options name.
    extraIndexes: [...extraIndexes, ...(index ? [] : list('extra-index-url'))],
    trustedHosts: [...trustedHosts, ...list('trusted-host')],
    proxies: proxy ? proxyVariables(proxy, noProxy) : matching(buildArgs, PROXY),
    certificates: certificates || (files['machine/ca-certificates.crt'] ?? ''),
  };
}

/** What a build of an environment gets: the settings as files that the scripts of `images/environment` read, and its variables. */
export function buildIndexSettings(
  source: Pick<ImageSource, 'files' | 'buildArgs'>,
  { index, npmIndex, nugetIndex, extraIndexes, trustedHosts, proxies, certificates }: IndexSettings,
): Required<Pick<ImageSource, 'files' | 'buildArgs'>> {
  const pip = {
    'index-url': index,
    'extra-index-url': extraIndexes.join(' '),
    'trusted-host': trustedHosts.join(' '),
  };
  const npm = { registry: npmIndex, 'strict-ssl': isTrusted(npmIndex, trustedHosts) ? 'false' : '' };
  const others = Object.entries(source.buildArgs ?? {}).filter(([name]) => !PROXY.test(name));
  return {
    files: {
      ...source.files,
      'machine/pip.conf': `[global]\n${configurationOf(pip)}`,
      'machine/npmrc': configurationOf(npm),
      'machine/nuget.index': nugetIndex,
      'machine/trusted-hosts': trustedHosts.join('\n'),
      'machine/ca-certificates.crt': certificates,
      'machine/apt-certificates.crt': source.files?.['machine/ca-certificates.crt'] ?? '',
    },
    buildArgs: { ...Object.fromEntries(others), ...proxies },
  };
}

/** Whether the host of an address is among those whose certificates are not checked, with or without its port. */
function isTrusted(address: string, trustedHosts: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { host, hostname } = new URL(address);
  return trustedHosts.includes(host) || trustedHosts.includes(hostname);
}

function configurationOf(values: Readonly<Record<string, string>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return given.map(([key, value]) => `${key} = ${value}\n`).join('');
}

/** In both spellings: some programs read one only. */
function proxyVariables(proxy: string, noProxy: string): Record<string, string> {
  const values = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ...(noProxy && { NO_PROXY: noProxy }) };
  const lower = Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...values, ...Object.fromEntries(lower) };
}

function matching(values: Readonly<Record<string, string>> = {}, name: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => name.test(key)));
}

function configured(text: string, key: string): string {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${key} =`));
  return line?.slice(key.length + 2).trim() ?? '';
}
