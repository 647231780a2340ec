import type { CreateEnvironment } from '../engine/environment/catalog.ts';
import type { EnvironmentInput, EnvironmentRecord } from '../engine/environment/definition.ts';
import { NetworkConsent } from '../engine/network/consent.ts';
import { needsConsent } from '../engine/network/environmentNetwork.ts';
import type { Result } from '../engine/types.ts';
import type { ToolCall } from './tool.ts';

/**
 * Creates an environment for an agent. Where that needs a person, asks the one of the client, once: `question`, and with it
 * what code in the environment reaches.
 */
export async function createAsked(
  input: EnvironmentInput,
  question: string,
  how: Pick<CreateEnvironment, 'onLine' | 'replace'>,
  { engine, owner: by, signal, approve }: Pick<ToolCall, 'engine' | 'owner' | 'signal' | 'approve'>,
): Promise<Result<EnvironmentRecord>> {
  const create = (agreed: Pick<CreateEnvironment, 'isApproved' | 'consent'>) =>
    engine.environments.create(input, { ...how, signal, by, ...agreed });
  const created = await create({});
  if (created.ok || (created.error.kind !== 'needs_approval' && created.error.kind !== 'needs_consent')) return created;
  const ask = async (text: string) => (await approve(text)) === 'agreed';
  if (input.network === undefined || !needsConsent(input.network)) {
    return (await ask(question)) ? create({ isApproved: true }) : created;
  }
  const consent = await NetworkConsent.ask(input, (network) =>
    ask(`${question} ${network.question} ${network.detail}`),
  );
  return consent ? create({ isApproved: true, consent }) : created;
}
