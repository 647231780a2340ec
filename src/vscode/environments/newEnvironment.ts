import { ProgressLocation, window } from 'vscode';
import { plainText } from '../../base/log.ts';
import type { CreateEnvironment } from '../../engine/environment/catalog.ts';
import type { EnvironmentInput, EnvironmentRecord } from '../../engine/environment/definition.ts';
import { NetworkConsent } from '../../engine/network/consent.ts';
import type { EnvironmentNetwork } from '../../engine/network/environmentNetwork.ts';
import type { Result } from '../../engine/types.ts';
import type { PackageManager } from '../../languages/languageDefinition.ts';
import type { App } from '../app.ts';
import { abortSignal } from '../cancellation.ts';
import { formatProblem } from '../format.ts';
import { ALL_LANGUAGES } from '../languages.ts';
import {
  hostsProblem,
  imageProblem,
  nameProblem,
  packagesProblem,
  splitHosts,
  splitPackages,
  splitVariables,
  variablesProblem,
} from './inputs.ts';
import { findStarts, type Start } from './starts.ts';
import { type Answer, askItem, askText, BACK, type Place, runWizard, type Step } from './wizard.ts';

type NetworkChoice = 'packages' | 'none' | 'allow' | 'full';

const NETWORKS: readonly { readonly id: NetworkChoice; readonly label: string; readonly detail: string }[] = [
  { id: 'packages', label: 'No Network', detail: 'Code reaches nothing. Packages can be installed into sessions.' },
  {
    id: 'none',
    label: 'No Network, No Packages',
    detail: 'Code reaches nothing, and nothing is installed into sessions.',
  },
  {
    id: 'allow',
    label: 'Some Hosts…',
    detail: 'Code reaches the hosts that you name, through a proxy that lists them.',
  },
  { id: 'full', label: 'Full Network', detail: 'Code reaches every host, those of your own network included.' },
];

/** What the wizard knows so far. */
interface Draft {
  readonly start: Start;
  readonly language: string | undefined;
  readonly name: string;
  readonly packages: Start['packages'];
  /** As the user writes them. */
  readonly variables: string;
  readonly base: string;
  readonly network: NetworkChoice;
  /** Those that code reaches, as the user writes them. */
  readonly hosts: string;
}

const NOTHING: Start = { label: 'No packages yet', name: '', packages: {}, leftOut: [] };

/** Asks for an environment step by step and builds it; undefined when the user stops. */
export async function newEnvironment(app: App): Promise<EnvironmentRecord | undefined> {
  const engine = await app.engine.get();
  const [starts, existing] = await Promise.all([findStarts(), engine.environments.list()]);
  const taken = new Set(existing.map(({ name }) => name));
  const steps: Step<Draft>[] = [
    (draft, place) => (starts.length === 0 ? null : askStart(draft, place, starts)),
    (draft, place) => (draft.start.language === undefined ? askLanguage(draft, place) : null),
    (draft, place) => askName(draft, place, taken),
    (draft, place) => {
      const manager = ALL_LANGUAGES.find(({ id }) => id === draft.language)?.packageManager;
      return manager ? askPackages(draft, place, manager) : null;
    },
    (draft, place) => askPackages(draft, place, 'apt'),
    askVariables,
    askBase,
    askNetwork,
    (draft, place) => (draft.network === 'allow' ? askHosts(draft, place) : null),
  ];
  const texts = { name: '', variables: '', base: '', hosts: '' };
  const first: Draft = { ...texts, start: NOTHING, language: undefined, packages: {}, network: 'packages' };
  const draft = await runWizard('New Environment', first, steps);
  if (draft?.language === undefined) return undefined;
  const { name, language } = draft;
  const packages = Object.fromEntries(Object.entries(draft.packages).map(([manager, list]) => [manager, [...list]]));
  const variables = splitVariables(draft.variables) ?? {};
  return build({ name, language, packages, variables, base: draft.base.trim(), network: networkOf(draft) }, app);
}

/**
 * Builds an environment with a notification that can cancel it; the output goes to the log. Asks before, where its code
 * reaches hosts that nobody has agreed to.
 */
export async function build(
  input: EnvironmentInput,
  app: App,
  how: Pick<CreateEnvironment, 'lock' | 'replace' | 'consent'> = {},
): Promise<EnvironmentRecord | undefined> {
  const created = await buildOnce(input, app, how);
  if (created.ok) return created.value;
  if (created.error.kind === 'cancelled') return undefined;
  if (created.error.kind === 'needs_consent' && how.consent === undefined) {
    const consent = await NetworkConsent.ask(input, async ({ question, detail }) => {
      const allow = 'Allow';
      return (await window.showWarningMessage(question, { modal: true, detail }, allow)) === allow;
    });
    return consent ? build(input, app, { ...how, consent }) : undefined;
  }
  const show = 'Show Log';
  void window.showErrorMessage(formatProblem(created.error), show).then((chosen) => chosen === show && app.log.show());
  return undefined;
}

function buildOnce(input: EnvironmentInput, app: App, how: CreateEnvironment): Thenable<Result<EnvironmentRecord>> {
  return window.withProgress(
    { location: ProgressLocation.Notification, title: `Building the environment ${input.name}`, cancellable: true },
    async (progress, token): Promise<Result<EnvironmentRecord>> => {
      const engine = await app.engine.get();
      const onLine = (line: string) => {
        const text = plainText(line);
        app.log.info(text);
        progress.report({ message: text.length > 60 ? `${text.slice(0, 59)}…` : text });
      };
      return engine.environments.create(input, { ...how, onLine, signal: abortSignal(token) });
    },
  );
}

async function askStart(draft: Draft, place: Place, starts: readonly Start[]): Promise<Answer<Draft>> {
  const items = [NOTHING, ...starts].map((start) => ({
    label: start.label,
    description: start === NOTHING ? '' : countOf(start),
    detail: start.leftOut.length > 0 ? `Not taken: ${start.leftOut.join('; ')}` : '',
    start,
  }));
  return map(await askItem(place, 'What to start with', items), ({ start }) => {
    const { language, name, packages } = start;
    return { ...draft, start, language, name, packages };
  });
}

async function askLanguage(draft: Draft, place: Place): Promise<Answer<Draft>> {
  const items = ALL_LANGUAGES.map(({ id, name }) => ({ label: name, id }));
  return map(await askItem(place, 'Language', items), ({ id }) => ({ ...draft, language: id, packages: {} }));
}

async function askName(draft: Draft, place: Place, taken: ReadonlySet<string>): Promise<Answer<Draft>> {
  const problem = (name: string) => nameProblem(name, taken);
  const name = await askText(place, { prompt: 'Name of the environment', value: draft.name, problem });
  return map(name, (text) => ({ ...draft, name: text }));
}

async function askPackages(draft: Draft, place: Place, manager: PackageManager): Promise<Answer<Draft>> {
  const entries = draft.packages[manager] ?? [];
  const text = await askText(place, {
    prompt: `Packages for ${manager}, separated by spaces`,
    value: entries.join(' '),
    problem: (value) => packagesProblem(manager, value),
  });
  return map(text, (list) => ({ ...draft, packages: { ...draft.packages, [manager]: splitPackages(list) } }));
}

async function askVariables(draft: Draft, place: Place): Promise<Answer<Draft>> {
  const text = await askText(place, {
    prompt: 'Environment variables, as in REGION=eu GREETING="good morning"',
    value: draft.variables,
    problem: variablesProblem,
  });
  return map(text, (variables) => ({ ...draft, variables }));
}

async function askBase(draft: Draft, place: Place): Promise<Answer<Draft>> {
  const text = await askText(place, {
    prompt: 'Image that it is built on; empty: that of the language',
    value: draft.base,
    problem: imageProblem,
  });
  return map(text, (base) => ({ ...draft, base }));
}

async function askNetwork(draft: Draft, place: Place): Promise<Answer<Draft>> {
  return map(await askItem(place, 'What code reaches', NETWORKS), ({ id }) => ({ ...draft, network: id }));
}

async function askHosts(draft: Draft, place: Place): Promise<Answer<Draft>> {
  const hosts = await askText(place, {
    prompt: 'Hosts, separated by spaces, as in example.org *.example.org example.org:8443',
    value: draft.hosts,
    problem: hostsProblem,
  });
  return map(hosts, (text) => ({ ...draft, hosts: text }));
}

function networkOf({ network, hosts }: Draft): EnvironmentNetwork {
  return network === 'allow' ? { allow: splitHosts(hosts) } : network;
}

function map<T extends object | string>(answer: Answer<T>, change: (value: T) => Draft): Answer<Draft> {
  if (answer === undefined || answer === BACK) return answer;
  return change(answer);
}

function countOf({ packages }: Start): string {
  const count = Object.values(packages).flat().length;
  return count === 1 ? '1 package' : `${count} packages`;
}
