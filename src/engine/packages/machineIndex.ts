import type { ImageSource } from '../deps.ts';
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
