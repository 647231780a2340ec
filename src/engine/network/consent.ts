import { createHash } from 'node:crypto';
import {
  definitionHash,
  EnvironmentDefinition,
  type EnvironmentInput,
  type EnvironmentRecord,
} from '../environment/definition.ts';
import { formatEnvironmentNetwork, needsConsent } from './environmentNetwork.ts';

/** What a person is asked: it names every host. */
export interface NetworkQuestion {
  readonly question: string;
  readonly detail: string;
}

/**
 * The agreement of a person to what code in one environment reaches. It holds for one name and one content: a changed
 * definition needs another. No data becomes one, so neither arguments of tools nor files carry it; a test names the files
 * that may ask.
 */
export class NetworkConsent {
  readonly #digest: string;

  private constructor(digest: string) {
    this.#digest = digest;
  }

  /** Asks a person by `ask`. Null when they do not agree, or where there is nothing to agree to. */
  static async ask(
    input: EnvironmentInput,
    ask: (question: NetworkQuestion) => Promise<boolean>,
  ): Promise<NetworkConsent | null> {
    const parsed = EnvironmentDefinition.safeParse(input);
    if (!parsed.success || !needsConsent(parsed.data.network)) return null;
    return (await ask(networkQuestion(parsed.data))) ? new NetworkConsent(consentDigest(parsed.data)) : null;
  }

  /** What is kept with the environment; null when the consent is to another name or content. */
  static digestFor(definition: EnvironmentDefinition, consent: NetworkConsent | undefined): string | null {
    if (typeof consent !== 'object' || consent === null || !(#digest in consent)) return null;
    return consent.#digest === consentDigest(definition) ? consent.#digest : null;
  }
}

/** Whether an environment reaches nothing, or only what a person has agreed to. */
export function isConsented(record: EnvironmentRecord): boolean {
  return !needsConsent(record.network) || record.consent === consentDigest(record);
}

/** The digest of the agreement to a definition, with its name. */
function consentDigest(definition: EnvironmentDefinition): string {
  const content = JSON.stringify(['network consent', definition.name, definitionHash(definition)]);
  return createHash('sha256').update(content).digest('hex');
}

function networkQuestion({ name, network }: EnvironmentDefinition): NetworkQuestion {
  return {
    question: `Let code in the environment ${name} reach ${formatEnvironmentNetwork(network)}?`,
    detail: 'Code that runs there, also that of agents, can send everything it has to these hosts.',
  };
}
