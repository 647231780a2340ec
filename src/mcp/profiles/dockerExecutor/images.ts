import { createHash } from 'node:crypto';
import type { EnvironmentInput } from '../../../engine/environment/definition.ts';
import type { Engine, Result } from '../../../engine/types.ts';
import type { ProfileCall } from '../profile.ts';
import { LANGUAGES, type Language, managerOf, packageEntry } from './language.ts';

/** The images that the older server takes when a call names none. */
const DEFAULT_IMAGES: readonly string[] = ['debug-test', 'mcp-executor-test'];
/** Characters of an image's name that the names of its environments have. */
const MAX_NAME = 30;

/** An environment for a run; `name` is undefined for the language's own. */
export interface ImageEnvironment {
  readonly name: string | undefined;
}

/**
 * Images by the names that clients give them. An image is one environment for each of its languages; the default images
 * have the environments of Hothouse itself.
 */
export class Images {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Where a language runs in an image; null when there is no such image, or when it lacks the language. */
  async environment(image: string, language: Language): Promise<ImageEnvironment | null> {
    if (isDefault(image)) return { name: undefined };
    const name = environmentName(image, language);
    return (await this.#engine.environments.find(name)).ok ? { name } : null;
  }

  /** Whether there is an image of that name, with whatever languages. */
  async exists(image: string): Promise<boolean> {
    const found = await Promise.all(LANGUAGES.map((language) => this.environment(image, language)));
    return found.some((environment) => environment !== null);
  }

  /** Builds an image with these languages, each with its packages. */
  async create(
    image: string,
    languages: readonly Language[],
    call: ProfileCall,
    packages: Readonly<Partial<Record<Language, readonly string[]>>> = {},
  ): Promise<Result<string>> {
    for (const language of languages) {
      const own = (packages[language] ?? []).map((entry) => packageEntry(language, entry));
      const input = { name: environmentName(image, language), language, packages: { [managerOf(language)]: own } };
      const created = await this.#build(input, call);
      if (!created.ok) return created;
    }
    return { ok: true, value: image };
  }

  /** Builds an image with one package more than another; returns its name. */
  async install(image: string, language: Language, entry: string, call: ProfileCall): Promise<Result<string>> {
    const added = packageEntry(language, entry);
    const next = `hothouse-${digest(`${image} ${language} ${added}`)}`;
    for (const each of LANGUAGES) {
      const base = await this.#packages(image, each);
      if (base === null && each !== language) continue;
      const packages = { ...base };
      if (each === language) packages[managerOf(each)] = [...(packages[managerOf(each)] ?? []), added];
      const built = await this.#build({ name: environmentName(next, each), language: each, packages }, call);
      if (!built.ok) return built;
    }
    return { ok: true, value: next };
  }

  /** The packages of a language in an image that was built; null when it was not. */
  async #packages(image: string, language: Language): Promise<NonNullable<EnvironmentInput['packages']> | null> {
    if (isDefault(image)) return null;
    const found = await this.#engine.environments.find(environmentName(image, language));
    return found.ok ? found.value.packages : null;
  }

  // The user has chosen this profile, which has tools that build. `environments.agents: deny` still refuses.
  #build(input: EnvironmentInput, { owner, signal, onOutput }: ProfileCall) {
    const onLine = (line: string) => onOutput({ kind: 'stdout', text: `${line}\n` });
    return this.#engine.environments.create(input, { replace: true, by: owner, isApproved: true, onLine, signal });
  }
}

function isDefault(image: string): boolean {
  return DEFAULT_IMAGES.includes(image.replace(/:latest$/, ''));
}

/** A tag is part of the name, except `latest`. What no environment may be called is replaced, and told apart by a digest. */
function environmentName(image: string, language: Language): string {
  const plain = image.replace(/:latest$/, '');
  const allowed = plain
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  const name = allowed === plain && plain.length <= MAX_NAME ? plain : `${allowed.slice(0, 20)}-${digest(plain)}`;
  return `${name.replace(/^-/, 'image-')}-${language}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
