import type { ImageSource } from '../deps.ts';
import type { Options } from '../options.ts';

/** How an installer reaches package indexes. */
export interface IndexSettings {
  /** Empty: the installer's own default. */
  readonly index: string;
  readonly extraIndexes: readonly string[];
  readonly trustedHosts: readonly string[];
  /** Environment variables. */
  readonly proxies: Readonly<Record<string, string>>;
  /** As PEM; empty: those of the image. */
  readonly certificates: string;
}

const PROXY = /^(?:https?|no)_proxy$/i;

/** What the options say, and where they say nothing what this machine has for its own builds. */
export function indexSettings(
  { index, extraIndexes, trustedHosts }: Options['packages'],
  { files = {}, buildArgs }: Pick<ImageSource, 'files' | 'buildArgs'>,
): IndexSettings {
  const pip = files['machine/pip.conf'] ?? '';
  const list = (key: string) => configured(pip, key).split(/\s+/).filter(Boolean);
  return {
    index: index || configured(pip, 'index-url'),
    // Those of another index are not searched beside the one that the options name.
    extraIndexes: [...extraIndexes, ...(index ? [] : list('extra-index-url'))],
    trustedHosts: [...trustedHosts, ...list('trusted-host')],
    proxies: Object.fromEntries(Object.entries(buildArgs).filter(([name]) => PROXY.test(name))),
    certificates: files['machine/ca-certificates.crt'] ?? '',
  };
}

function configured(text: string, key: string): string {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${key} =`));
  return line?.slice(key.length + 2).trim() ?? '';
}
