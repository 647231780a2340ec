import type { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { CodeReport, Language } from './language.ts';
import type { Tasks } from './languageTasks.ts';
import type { LanguageTools, ReportFormat, ToolDefaults } from './languageTools.ts';
import type { LanguagePackages } from './packages.ts';
import type { ProjectFile } from './projectFile.ts';
import type { ReplacedProgram } from './replacedProgram.ts';

/**
 * What an editor shows of a language: data and small functions, so that it can be read without loading the language.
 */
export interface LanguageFacts {
  /** As options, requests and folders spell it. */
  readonly id: string;
  /** For people. */
  readonly displayName: string;
  /** With their dot. */
  readonly fileExtensions: readonly string[];
  /** Which manager installs its packages, beside apt; missing where none does. */
  readonly packageManager?: Exclude<PackageManager, 'apt'>;
  readonly editor: EditorFacts;
}

/** How notebooks show a language. */
export interface EditorFacts {
  /** VS Code's language id of its cells. */
  readonly cells: string;
  /** The kernel in the metadata of a new notebook, in Jupyter's terms. */
  readonly kernelspec: { readonly name: string; readonly display_name: string; readonly language: string };
  /** Characters that trigger completions. */
  readonly triggers: readonly string[];
  /** Whether sessions keep cells at their positions, and so answer hovers and go to definitions. */
  readonly hasPlaces: boolean;
  /** Code that makes a folder the working folder of a session; missing where sessions have none. */
  enterFolder?(path: string): string;
  /** Code that does so only where the working folder was removed; by default `enterFolder`. */
  returnToFolder?(path: string): string;
  /** What a key of its pools stands for, in a few characters; undefined where there is nothing to show. */
  formatPoolKey?(key: string): string | undefined;
  /** How its reports are shown, beside their messages. */
  readonly reports?: ReportView<CodeReport>;
  /** Another extension that offers kernels for it; where that is installed, ours is not the suggested one. */
  readonly otherKernels?: string;
  /** How its cells are edited where the language's own extension is not installed. */
  readonly configuration?: EditorConfiguration;
}

/** How notebooks show the reports of one language. */
export interface ReportView<Report extends CodeReport> {
  /** What is left to do, as paragraphs of Markdown. */
  details(report: Report): readonly string[];
  /** Whether the session has the cell's code; a rejected cell changes nothing there. */
  isAdded(report: Report): boolean;
}

/** Comments and brackets of a language; `extension` brings better ones. */
export interface EditorConfiguration {
  readonly extension: string;
  readonly lineComment: string;
  readonly blockComment: readonly [open: string, close: string];
  readonly brackets: readonly (readonly [open: string, close: string])[];
}

/** What installs packages into environments and sessions; `apt` is not of one language. */
export type PackageManager = 'pip' | 'npm' | 'nuget' | 'apt';

/** What every language's own options have; without `memoryMb` and `cpus` those of `limits` hold. */
export interface LanguageOptions {
  /** Image of its sandboxes. */
  readonly image: string;
  /** Packages of its manager that its own environment has beside those of the image. */
  readonly packages?: readonly string[];
  readonly memoryMb?: number;
  readonly cpus?: number;
}

/** The schema of a language's own options: each has a default and a description. */
export type LanguageOptionsSchema = z.ZodObject & z.ZodType<LanguageOptions>;

/** What a language gets from its engine. */
export interface LanguageContext<O extends LanguageOptions = LanguageOptions> {
  /** Its own options, as they are at the time of the call. */
  readonly options: () => O;
  readonly clock: Clock;
  readonly log: Log;
}

/** Which pools a language's environment has. */
export interface PoolKeys {
  /** Those that are warm from the first use on, or from the start with `pool.prewarm`. */
  readonly prewarmed: readonly string[];
  /** How many are kept warm at the same time. */
  readonly max: number;
}

/** Variables of a session that are listed, and characters of a name, a type or a value. */
export const MAX_VARIABLES = 200;
export const MAX_VARIABLE_TEXT = 200;

/**
 * One language: everything that the engine, the options and the doors know about it. Its image is built from
 * `images/<id>`.
 */
export interface LanguageDefinition<
  Id extends string = string,
  Schema extends LanguageOptionsSchema = LanguageOptionsSchema,
  Questions extends object = object,
> extends LanguageFacts {
  readonly id: Id;
  /** What ids of its sessions begin with: `py` in `py-3f9a2c81`. */
  readonly sessionPrefix: string;
  /** Its options, a group named by its id. */
  readonly options: Schema;
  /** Its sessions can be copied; see `Interpreter.copy`. */
  readonly hasCopies?: true;
  /**
   * Code for a copy of a session that prints its variables as JSON, as in `[["x", "int", "5"]]`: name, type, and a value or
   * a size, or null. At most `MAX_VARIABLES`, each text of at most `MAX_VARIABLE_TEXT` characters.
   */
  readonly variablesCode?: string;
  /** What an agent needs to know to write code for it, one line. */
  readonly guide: string;
  /** What `hothouse build` accepts for it beside what every build accepts. */
  readonly buildOptions?: readonly BuildOption[];
  /** Files in which its projects name their packages. */
  readonly projectFiles?: readonly ProjectFile[];
  /** The program that it replaces, whose configuration is read too. */
  readonly replaces?: ReplacedProgram;
  /** Environment variables of its sandboxes; `cpus` is their limit. */
  environment(cpus: number): Readonly<Record<string, string>>;
  /** Its programs reserve more writable memory than they use. */
  readonly reservesMemory?: true;
  /** How packages come into its sessions; missing: they do not. */
  readonly packages?: LanguagePackages;
  /** One pool where it is missing. */
  poolKeys?(options: z.infer<Schema>): PoolKeys;
  /** The options that warm sandboxes depend on: when they change, the sandboxes are replaced. */
  warmOptions?(options: z.infer<Schema>): unknown;
  create(context: LanguageContext<z.infer<Schema>>): Language;
  /** The questions that only this language knows: the engine's member named by its id. */
  questions?(tasks: Tasks): Questions;
  /** Its tools for agents. */
  tools?(defaults: ToolDefaults): LanguageTools;
  /** How its reports appear in answers; missing where it has no reports. */
  readonly reports?: ReportFormat;
}

/** An option of `hothouse build` for one language. */
export type BuildOption = { readonly name: string; readonly help: string } & (
  | { readonly buildArgs: Readonly<Record<string, string>> }
  /**
   * Adds a folder of this machine to the build's context, under the option's name; `needs` is a path that it must
   * contain.
   */
  | { readonly needs: string }
);

/** A definition with the types of its id, its options and its questions. */
export function defineLanguage<
  const Id extends string,
  Schema extends LanguageOptionsSchema,
  Questions extends object = never,
>(definition: LanguageDefinition<Id, Schema, Questions>): LanguageDefinition<Id, Schema, Questions> {
  return definition;
}
