import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Host, ImageBuild } from '../host/host.ts';
import type { LanguageDefinition } from '../languages/languageDefinition.ts';
import type { EnvironmentStore } from './environment/environmentStore.ts';
import type { UseBoard } from './environment/warmTurns.ts';
import type { Options } from './options.ts';
import type { SessionStore } from './session/sessionRecord.ts';

/** Who this process is, for the labels of its containers; see `host/identity.ts`. */
export interface Identity {
  readonly machine: string;
  readonly owner: string;
}

/** Where a language's default image is built from. */
export type ImageSource = Pick<ImageBuild, 'context' | 'folders' | 'buildArgs' | 'files'>;

/** The options that select a host. */
export type HostOptions = Pick<Options, 'host' | 'docker'>;

/** What an engine needs from its composition. */
export interface EngineDependencies {
  /** A host of the kind that the options select; called again when they select another one. */
  readonly connect: (options: HostOptions) => Host;
  /** From `sandbox/agentBundle.ts`. */
  readonly agent: Buffer;
  /** The languages that it runs, in the order in which views list them. */
  readonly languages: readonly LanguageDefinition[];
  readonly options: Options;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: Identity;
  /** Where the user's environments are kept; by default they end with the engine. */
  readonly environments?: EnvironmentStore;
  /** `environment`: the scripts that build a user's environment. Called for each build, since looking up the machine's settings takes time. */
  readonly images: (language: string) => Promise<ImageSource>;
  /** Text of the program that installs packages, by its manager; without it nothing is installed. */
  readonly installers?: (manager: string) => Promise<string>;
  /** Text of the file of certificates that `packages.certificates` names. */
  readonly certificates?: (path: string) => Promise<string>;
  /** Shares warm sandboxes' number with other engines of the user; without it this engine keeps its own. */
  readonly useBoard?: UseBoard;
  /** Makes sessions resumable by another engine; without it their sandboxes end with this one. */
  readonly sessionStore?: SessionStore;
}
