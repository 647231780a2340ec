import { describe, expect, it } from 'vitest';
import {
  definitionHash,
  EnvironmentDefinition,
  type EnvironmentInput,
  formatDefinitionProblem,
  parseDefinition,
} from '../../../src/engine/environment/definition.ts';
import { memoryStore } from '../../../src/engine/environment/environmentStore.ts';
import { NetworkConsent, type NetworkQuestion } from '../../../src/engine/network/consent.ts';
import { withEnvironmentNetwork } from '../../../src/engine/network/environmentNetwork.ts';
import { Options } from '../../../src/engine/options.ts';
import { LANGUAGES } from '../../../src/languages/registry.ts';
import { ALICE, EngineBench } from '../engineBench.ts';

type Network = EnvironmentInput['network'];

const INPUT = { name: 'data', language: 'python', packages: { pip: ['tqdm'] } } satisfies EnvironmentInput;
const HOSTS = { allow: ['example.org', '*.example.com'] };

function problemsOf(network: unknown): string {
  return parseDefinition({ ...INPUT, network }, LANGUAGES)
    .problems.map(formatDefinitionProblem)
    .join('\n');
}

function hashOf(network: Network): string {
  return definitionHash(EnvironmentDefinition.parse({ ...INPUT, network }));
}

/** The consent of somebody who agrees. */
async function consentTo(input: EnvironmentInput): Promise<NetworkConsent> {
  const consent = await NetworkConsent.ask(input, async () => true);
  if (!consent) throw new Error('nothing was asked');
  return consent;
}

/** The network of each container of the environment's image. */
function networks({ host }: EngineBench): unknown[] {
  return [...host.containers.values()].flatMap(({ spec }) =>
    spec.image.includes('environment') ? [spec.network] : [],
  );
}

describe('the network of a definition', () => {
  it.each(['none', 'packages', 'full', HOSTS, { allow: ['Example.ORG:8443'] }, { allow: ['xn--bcher-kva.example'] }])(
    'can be %j',
    (network) => {
      expect(problemsOf(network)).toBe('');
    },
  );

  it.each([
    ...['', '*', '*.', '*.*', '*.com', '*.localhost', '**.example.org', 'a.*.org', 'example.*', '.example.org'],
    ...['localhost', 'LocalHost', 'localhost:80', 'db.localhost', 'localhost.localdomain', 'intranet', 'com'],
    ...['127.0.0.1', '0.0.0.0', '0', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '10.0.0.1:80', '192.168.0.1'],
    ...['169.254.169.254', '100.100.100.200', '*.0.0.1', '[::1]', '::1', '[fd00:ec2::254]', '[::ffff:127.0.0.1]:80'],
    ...['example.org.', 'example.org.:80', 'example..org', '-a.org', 'a-.org', 'a_b.org', `${'a'.repeat(64)}.org`],
    ...['example.org:0', 'example.org:65536', 'example.org:-1', 'example.org:80:81', 'example.org:', 'example.org:8e3'],
    ...['http://example.org', 'example.org/x', 'user@example.org', 'example.org?x', 'example.org#', 'a.org\\b.org'],
    ...['bücher.example', 'еxample.org', 'example。org', 'example.org\u200b', 'ｅxample.org', 'example.org\u0000'],
    ...['a b.org', 'a.org b.org', 'a.org,b.org', 'a.org\nhttp_access allow all', 'a.org\r', ' a.org', 'a.org\t'],
    ...[null, 1, {}, [], ['a.org'], { host: 'a.org' }],
  ])('cannot allow %j', (host) => {
    expect(problemsOf({ allow: [host] })).toContain('network.allow.0: ');
  });

  it.each([null, 0, true, [], ['example.org'], 'allow', 'FULL', 'host', 'bridge', '*', 'example.org'])(
    'cannot be %j',
    (network) => {
      expect(problemsOf(network)).toContain('network: ');
    },
  );

  it('has each wrong key named, and names at least one host and at most 30', () => {
    expect(problemsOf({ ...HOSTS, privateHosts: ['example.org'] })).toBe('network.privateHosts: There is no such key.');
    expect(problemsOf({ ...HOSTS, consent: true })).toBe('network.consent: There is no such key.');
    expect(problemsOf({ allow: [] })).toBe('network.allow: Name a host, or use none.');
    const many = Array.from({ length: 31 }, (_, index) => `a${index}.org`);
    expect(problemsOf({ allow: many })).toBe('network.allow: There are more than 30 hosts.');
    expect(problemsOf({ allow: 'example.org' })).toContain('network.allow: ');
  });

  it('is a part of the hash, without the order, the case and the repetition of hosts', () => {
    const others = ['none', 'packages', 'full', { allow: ['example.org'] }, { allow: ['*.example.org'] }, HOSTS];
    expect(new Set(others.map((network) => hashOf(network as Network))).size).toBe(6);
    expect(hashOf({ allow: ['*.example.com', 'EXAMPLE.org', 'example.org'] })).toBe(hashOf(HOSTS));
    expect(hashOf('packages')).toBe(definitionHash(EnvironmentDefinition.parse(INPUT)));
  });

  it('replaces the policy of the machine, except packages, and never says which hosts may be private', () => {
    const machine = Options.parse({ network: { policy: 'full', privateHosts: ['a.org'] } });
    expect(withEnvironmentNetwork(machine, 'packages')).toBe(machine);
    expect(withEnvironmentNetwork(machine, 'none').network).toMatchObject({ policy: 'none', allow: [] });
    expect(withEnvironmentNetwork(machine, HOSTS).network).toMatchObject({
      ...{ policy: 'allow', allow: ['*.example.com', 'example.org'], privateHosts: ['a.org'] },
    });
    expect(withEnvironmentNetwork(Options.parse({}), 'full').network.policy).toBe('full');
  });
});

describe('the consent to a network', () => {
  it('is asked for with every host, and for nothing that reaches none', async () => {
    const questions: NetworkQuestion[] = [];
    const ask = async (question: NetworkQuestion) => {
      questions.push(question);
      return false;
    };
    for (const network of [HOSTS, 'full', 'none', 'packages'] as const) {
      expect(await NetworkConsent.ask({ ...INPUT, network }, ask)).toBeNull();
    }
    expect(questions.map(({ question }) => question)).toEqual([
      'Let code in the environment data reach *.example.com and example.org?',
      'Let code in the environment data reach every host, those of your own network included?',
    ]);
  });

  it('is needed from everyone, also where agents may create environments unasked', async () => {
    const bench = new EngineBench({ environments: { agents: 'allow' } });
    const { environments } = bench.engine;
    for (const network of [HOSTS, 'full'] as const) {
      for (const how of [{}, { by: ALICE }, { isApproved: true }, { by: ALICE, isApproved: true }]) {
        const refused = await environments.create({ ...INPUT, network }, how);
        expect(refused).toMatchObject({ ok: false, error: { kind: 'needs_consent' } });
      }
    }
    const refused = await environments.create({ ...INPUT, network: HOSTS });
    expect(JSON.stringify(refused)).toContain('would reach *.example.com and example.org');
    expect(await environments.list()).toEqual([]);
    expect(bench.host.builds).toEqual([]);
    await bench.engine.dispose();
  });

  it('cannot be made of data', async () => {
    const bench = new EngineBench();
    const input = { ...INPUT, network: HOSTS };
    const copy = Object.assign(Object.create(NetworkConsent.prototype), { digest: 'x' });
    const forged: unknown[] = [true, 'yes', {}, { digest: 'x' }, JSON.parse(JSON.stringify(await consentTo(input)))];
    for (const consent of [...forged, copy, structuredClone(await consentTo(input))]) {
      const how = { consent: consent as NetworkConsent };
      expect(await bench.engine.environments.create(input, how)).toMatchObject({ ok: false });
    }
    for (const extra of [{ consent: 'a'.repeat(64) }, { isApproved: true }, { allow: ['example.org'] }]) {
      expect(await bench.engine.environments.create({ ...input, ...extra })).toMatchObject({
        ok: false,
        error: { kind: 'invalid_request' },
      });
    }
    await bench.engine.dispose();
  });

  it('holds for one name and one content', async () => {
    const bench = new EngineBench();
    const { environments } = bench.engine;
    const input = { ...INPUT, network: HOSTS };
    const consent = await consentTo(input);
    const others: EnvironmentInput[] = [
      { ...input, name: 'other' },
      { ...input, network: 'full' },
      { ...input, network: { allow: [...HOSTS.allow, 'evil.example'] } },
      { ...input, network: { allow: ['*.example.org', '*.example.com'] } },
      { ...input, network: { allow: ['example.org:8443', '*.example.com'] } },
      { ...input, packages: { pip: ['tqdm', 'requests'] } },
      { ...input, variables: { A: 'b' } },
      { ...input, base: 'debian:12' },
    ];
    for (const other of others) {
      expect(await environments.create(other, { consent, replace: true })).toMatchObject({
        ok: false,
        error: { kind: 'needs_consent' },
      });
    }
    expect(await environments.create(input, { consent })).toMatchObject({ ok: true });
    for (const other of others) {
      expect(await environments.create(other, { replace: true })).toMatchObject({ ok: false });
    }
    // The same again asks nobody.
    expect(await environments.create({ ...input, network: { allow: [...HOSTS.allow].reverse() } })).toMatchObject({
      ok: true,
    });
    expect(await environments.create({ ...INPUT, name: 'quiet' })).toMatchObject({ ok: true });
    await bench.engine.dispose();
  });

  it('ends with its environment: one that is removed or replaced meanwhile is asked for again', async () => {
    const bench = new EngineBench();
    const { environments } = bench.engine;
    const input = { ...INPUT, network: HOSTS };
    await environments.create(input, { consent: await consentTo(input) });
    await environments.remove('data');
    expect(await environments.create(input)).toMatchObject({ ok: false, error: { kind: 'needs_consent' } });
    await environments.create(input, { consent: await consentTo(input) });
    expect(await environments.create(INPUT, { replace: true })).toMatchObject({ ok: true });
    expect(await environments.create(input, { replace: true })).toMatchObject({ ok: false });
    await bench.engine.dispose();
  });

  it('gives sandboxes of that environment alone a network, which they serve one run with', async () => {
    const bench = new EngineBench({ network: { privateHosts: ['example.org'] } });
    const input = { ...INPUT, network: HOSTS };
    await bench.engine.environments.create(input, { consent: await consentTo(input) });
    await bench.engine.environments.create({ ...INPUT, name: 'quiet' });
    expect((await bench.run('print hi', { environment: 'data' })).status).toBe('ok');
    expect(networks(bench)[0]).toMatchObject({
      hosts: [
        { name: 'example.com', isWildcard: true, mayBePrivate: false },
        { name: 'example.org', isWildcard: false, mayBePrivate: true },
      ],
    });
    const before = networks(bench).length;
    expect((await bench.run('print hi', { environment: 'quiet' })).status).toBe('ok');
    expect((await bench.run('print hi')).status).toBe('ok');
    expect(
      networks(bench)
        .slice(before)
        .filter((network) => network !== 'none' && typeof network !== 'object'),
    ).toEqual([]);
    const shown = bench.engine.snapshot().environments.map(({ id, network }) => [id, network]);
    expect(shown).toContainEqual(['data', { policy: 'allow', allow: ['*.example.com', 'example.org'] }]);
    expect(shown).toContainEqual(['quiet', null]);
    await bench.engine.dispose();
  });

  it('is missed when what is kept has changed since, by whatever way', async () => {
    const store = memoryStore();
    const input = { ...INPUT, network: HOSTS };
    const first = new EngineBench({}, {}, LANGUAGES, store);
    await first.engine.environments.create(input, { consent: await consentTo(input) });
    await first.engine.environments.create({ ...INPUT, name: 'quiet' });
    const kept = (await store.read('data')) as Record<string, unknown>;
    const quiet = (await store.read('quiet')) as Record<string, unknown>;
    const changes: Record<string, unknown>[] = [
      { ...kept, network: 'full' },
      { ...kept, network: { allow: [...HOSTS.allow, 'evil.example'] } },
      { ...kept, variables: { A: 'b' } },
      { ...kept, consent: undefined },
      { ...kept, consent: 'a'.repeat(64) },
      { ...quiet, name: 'data', network: HOSTS },
    ];
    // An engine that has used it before, and one that has not.
    expect((await first.run('print hi', { environment: 'data' })).status).toBe('ok');
    for (const bench of [first, new EngineBench({}, {}, LANGUAGES, store)]) {
      // Another name of the same content, whose image this engine's host then has.
      const other = { ...input, name: 'other' };
      await bench.engine.environments.create(other, { consent: await consentTo(other) });
      for (const change of changes) {
        await store.put('data', change);
        await bench.engine.environments.list();
        const before = networks(bench).length;
        const refused = await bench.run('print hi', { environment: 'data' });
        expect(refused).toMatchObject({ status: 'rejected', error: { name: 'needs_consent' } });
        expect(await bench.engine.openSession('python', ALICE, undefined, 'data')).toMatchObject({ ok: false });
        expect(networks(bench).length).toBe(before);
      }
      // A copy under another name has no consent of its own.
      await store.put('quiet', { ...kept, name: 'quiet' });
      expect((await bench.run('print hi', { environment: 'quiet' })).error?.name).toBe('needs_consent');
      await store.put('data', { ...kept, network: 'none' });
      expect((await bench.run('print hi', { environment: 'data' })).status).toBe('ok');
      expect(networks(bench).at(-1)).toBe('none');
      await store.put('data', kept);
      expect((await bench.run('print hi', { environment: 'data' })).status).toBe('ok');
      await bench.engine.dispose();
    }
  });
});
