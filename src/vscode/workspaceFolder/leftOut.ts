import ignore, { type Ignore } from 'ignore';

/** Patterns as in `.gitignore`. What no code needs, or what each machine makes for itself. */
const UNNEEDED = [
  '.git',
  '.hg',
  '.svn',
  'node_modules/',
  '.venv/',
  'venv/',
  '__pycache__/',
  '.ipynb_checkpoints/',
  '.mypy_cache/',
  '.pytest_cache/',
  '.ruff_cache/',
  '.DS_Store',
];

/** What usually holds passwords, keys and tokens. */
const SECRETS = [
  '.env',
  '.env.*',
  '*.env',
  '.envrc',
  '!.env.example',
  '!.env.sample',
  '!.env.template',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.ssh/',
  '.gnupg/',
  '.aws/',
  '.azure/',
  '.kube/',
  '.docker/',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.pypirc',
  '.npmrc',
  '.yarnrc.yml',
  '.git-credentials',
  '.htpasswd',
  'credentials.json',
  'credentials.toml',
  'client_secret*.json',
  'service-account*.json',
  'service_account*.json',
  'secrets.json',
  'secrets.toml',
  'secrets.yaml',
  'secrets.yml',
  '*.tfstate',
  '*.tfstate.*',
  '*.tfvars',
];

/** Why an entry of a folder is not copied. */
export type LeftOutReason = 'secret' | 'unneeded' | 'ignored' | 'excluded';

/** The rules of `.gitignore` files: those of a folder, whose paths begin at it. */
export interface IgnoreFile {
  /** Makes a path relative to the scanned folder, `` for that itself, relative to the file's folder. */
  readonly toLocal: (path: string) => string;
  readonly rules: Ignore;
}

/** What is left out of a copy, beside what `.gitignore` files name. The user's patterns count last and may bring back. */
export class Exclusions {
  readonly #secrets = ignore({ ignorecase: true }).add(SECRETS);
  readonly #unneeded = ignore().add(UNNEEDED);
  readonly #own: Ignore;

  constructor(patterns: readonly string[]) {
    this.#own = ignore().add(patterns.flatMap(withContents));
  }

  /** Why an entry is left out; null when it is copied. A folder's path ends with `/`. */
  reasonFor(path: string, ignoreFiles: readonly IgnoreFile[]): LeftOutReason | null {
    const own = this.#own.test(path);
    if (own.ignored) return 'excluded';
    if (own.unignored) return null;
    if (this.#secrets.ignores(path)) return 'secret';
    if (this.#unneeded.ignores(path)) return 'unneeded';
    return isIgnored(path, ignoreFiles) ? 'ignored' : null;
  }
}

/** Whether `.gitignore` files name an entry; as in git, the file nearest to it wins. */
export function isIgnored(path: string, ignoreFiles: readonly IgnoreFile[]): boolean {
  let isOut = false;
  for (const { toLocal, rules } of ignoreFiles) {
    const { ignored, unignored } = rules.test(toLocal(path));
    if (ignored) isOut = true;
    else if (unignored) isOut = false;
  }
  return isOut;
}

/** A folder that is brought back brings its contents. */
function withContents(pattern: string): string[] {
  return /^!.*\/$/.test(pattern) ? [pattern, `${pattern}**`] : [pattern];
}
