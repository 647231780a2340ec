import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { EnvironmentInfo } from '../../src/engine/types.ts';
import { appearance, poolRows, type Row } from '../../src/vscode/pool/tree.ts';
import { HOLDING_WALLS } from '../host/holdingWalls.ts';
import { environment, NOW, sandbox, session, snapshot } from './snapshots.ts';

function outline(rows: readonly Row[], depth = 0): string[] {
  return rows.flatMap((row) => [
    `${'  '.repeat(depth)}${row.label} | ${row.description}`,
    ...outline(row.children, depth + 1),
  ]);
}

describe('poolRows', () => {
  it('returns no rows before the first sandbox or session, so that the welcome view shows', () => {
    expect(poolRows(snapshot(), NOW)).toEqual([]);
    expect(poolRows(snapshot({ environments: [environment([])] }), NOW)).toEqual([]);
  });

  it('shows environments with their sandboxes and the sessions', () => {
    const held = sandbox({ id: 'feedface00000000', state: 'leased', sessionId: 's1', memoryBytes: null });
    const rows = poolRows(
      snapshot({
        host: { state: 'ready', name: 'Docker Engine', runtime: 'runsc', reason: 'It answers.' },
        environments: [environment([sandbox(), held], { waiting: 1 })],
        sessions: [session()],
      }),
      NOW,
    );
    expect(outline(rows)).toEqual([
      'Python | 1 warm · 1 waiting · runsc',
      '  c0ffee01 | warm · 1 min · 114 MB',
      '  feedface | session · 1 min',
      'Sessions | 1',
      '  Untitled-1.ipynb | Python · 1 h',
    ]);
    expect(rows[0]?.tooltip).toContain('\nHost: Docker Engine\nIt answers.');
  });

  it('shows the imports of a Lean sandbox and the language of a session', () => {
    const ready = sandbox({ poolKey: 'import Lean\nimport Std', memoryBytes: null });
    const lean = environment([ready], { id: 'lean', language: 'lean', image: 'hothouse/lean:latest' });
    const rows = poolRows(snapshot({ environments: [lean], sessions: [session({ language: 'lean' })] }), NOW);
    expect(outline(rows)).toEqual([
      'Lean | 1 warm · runc',
      '  c0ffee01 | warm · imports Lean, Std · 1 min',
      'Sessions | 1',
      '  Untitled-1.ipynb | Lean · 1 h',
    ]);
    expect(rows[0]?.children[0]?.tooltip).toContain('\nimport Lean import Std');
  });

  it("shows a user's environment also without sandboxes, with its name for the commands of its row", () => {
    const [row] = poolRows(snapshot({ environments: [environment([], { id: 'data', isCustom: true })] }), NOW);
    expect(row).toMatchObject({ label: 'data', description: 'Python · 0 warm · runc', context: 'environment-custom' });
    expect(row?.subject).toEqual({ kind: 'environment', name: 'data' });
  });

  it('shows an unusual state in the row of a session and details in the tooltip', () => {
    const row = (over: Parameters<typeof session>[0]) =>
      poolRows(snapshot({ sessions: [session({ memoryBytes: 114 * 1_048_576, ...over })] }), NOW)[0]?.children[0];
    expect(row({ state: 'busy' })?.description).toBe('Python · running');
    expect(row({ state: 'ended', endReason: 'it ran out of memory' })).toMatchObject({
      description: 'Python · ended: it ran out of memory',
      icon: 'warning',
    });
    expect(row({})?.tooltip.split('\n').slice(1)).toEqual([
      'State: idle · 114 MB',
      'Owner: notebook Untitled-1.ipynb',
      'Opened 1 h ago, 3 runs, last used <1 min ago',
    ]);
  });

  it('removes control characters from owners, images and ids', () => {
    const evil = '\x1b[2Jname\x07\x9b31m';
    const owner = { id: 'x', kind: 'mcp', label: evil } as const;
    const rows = poolRows(
      snapshot({
        host: { state: 'ready', name: evil, runtime: evil },
        environments: [environment([sandbox({ id: evil, owner, poolKey: evil })], { image: evil })],
        sessions: [session({ owner, id: evil })],
      }),
      NOW,
    );
    const texts = (row: Row): string[] => [row.label, row.description, row.tooltip, ...row.children.flatMap(texts)];
    expect(rows.flatMap(texts).join('')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it('shows a row for each wall of the sandboxes, once they have reported them', () => {
    const walls = {
      ...HOLDING_WALLS,
      files: { state: 'missing', detail: 'no Landlock\x07' },
      network: { state: 'off', detail: 'network.policy' },
    } as const;
    const rows = (over: Partial<EnvironmentInfo>) =>
      poolRows(snapshot({ environments: [environment([sandbox()], over)] }), NOW)[0]?.children ?? [];
    expect(rows({}).map(({ label }) => label)).not.toContain('Isolation');
    const isolation = rows({ walls }).at(-1);
    expect(isolation).toMatchObject({ label: 'Isolation', description: '10 of 12 walls hold', icon: 'shield' });
    const shown = isolation?.children.map(({ label, description, icon }) => [label, description, icon]);
    expect(shown).toHaveLength(12);
    expect(shown).toContainEqual(['no privileges', 'holds', 'pass']);
    expect(shown).toContainEqual(['writes limited by Landlock', 'not on this host: no Landlock', 'warning']);
    expect(shown).toContainEqual(['no network', 'off: network.policy', 'circle-slash']);
  });

  it('shows what proxies have decided under the environment whose sandboxes have asked', () => {
    const decision = {
      ...{ environment: 'lab', host: 'example.org', port: 443, denied: null, count: 2, lastAt: NOW - 1000 },
      ...{ sandboxId: 'c0ffee0123456789', sessionId: 's1' },
    };
    const network = { policy: 'allow', allow: ['example.org'] } as const;
    const lab = environment([], { id: 'lab', isCustom: true, network });
    const decisions = [
      decision,
      { ...decision, host: 'evil.example', denied: 'host' as const, count: 1 },
      { ...decision, environment: 'gone', host: 'old.example', sandboxId: 'feedface01', sessionId: null },
    ];
    const rows = (policy: 'none' | 'allow', shown = decisions) =>
      poolRows(
        snapshot({
          environments: [environment([sandbox()]), lab],
          sessions: [session()],
          network: { policy, allow: [], decisions: shown },
        }),
        NOW,
      );
    expect(outline(rows('none'))).toEqual([
      'Python | 1 warm · runc',
      '  c0ffee01 | warm · 1 min · 114 MB',
      'lab | Python · 0 warm · runc',
      '  Network | allow · 1 host denied',
      '    example.org:443 | allowed · 2 times · Untitled-1.ipynb',
      '    evil.example:443 | denied · Untitled-1.ipynb',
      'Sessions | 1',
      '  Untitled-1.ipynb | Python · 1 h',
      'Network | none',
      '  old.example:443 | allowed · 2 times · sandbox feedface',
    ]);
    expect(rows('none')[1]?.children[0]?.tooltip).toBe('allow: sandboxes reach example.org through a proxy');
    const python = rows('allow', [{ ...decision, environment: 'python' }]);
    expect(outline(python).slice(0, 4)).toEqual([
      'Python | 1 warm · runc',
      '  c0ffee01 | warm · 1 min · 114 MB',
      '  Network | allow',
      '    example.org:443 | allowed · 2 times · Untitled-1.ipynb',
    ]);
    expect(outline(rows('none', []))).not.toContain('Network | none');
  });

  it('keeps the id of a row when its state changes', () => {
    const ids = (state: 'idle' | 'leased') =>
      poolRows(snapshot({ environments: [environment([sandbox({ state })])] }), NOW).flatMap(({ children }) =>
        children.map(({ id }) => id),
      );
    expect(ids('idle')).toEqual(ids('leased'));
  });

  it('keeps the appearance of a row when only its tooltip changes', () => {
    const row = (over: Parameters<typeof session>[0]) =>
      poolRows(snapshot({ sessions: [session(over)] }), NOW)[0]?.children[0];
    expect(appearance(row({ lastUsedAt: NOW, runs: 1 }))).toBe(appearance(row({ lastUsedAt: 0, runs: 2 })));
    expect(appearance(row({}))).not.toBe(appearance(row({ state: 'busy' })));
  });

  it('gives rows context values that the menus match', () => {
    const sessions = [session({ state: 'busy' }), session({ isShared: true }), session({ language: 'lean' })];
    const rows = poolRows(snapshot({ environments: [environment([sandbox()])], sessions }), NOW);
    const contexts = rows.flatMap(({ context, children }) => [context, ...children.map((child) => child.context)]);
    const commandsOf = (context: string) =>
      packageJson.contributes.menus['view/item/context']
        .filter(({ when }) => matches(when, context))
        .map(({ command }) => command);
    expect(Object.fromEntries(contexts.map((context) => [context, commandsOf(context)]))).toEqual({
      environment: [],
      sandbox: ['hothouse.sandbox.stop'],
      sessions: ['hothouse.closeAllSessions'],
      'session-notebook-busy-packages': [
        'hothouse.session.saveFiles',
        'hothouse.session.interrupt',
        'hothouse.session.show',
        'hothouse.session.restart',
        'hothouse.session.addPackages',
        'hothouse.session.share',
        'hothouse.session.close',
      ],
      'session-notebook-shared-idle-packages': [
        'hothouse.session.saveFiles',
        'hothouse.session.show',
        'hothouse.session.restart',
        'hothouse.session.addPackages',
        'hothouse.session.stopSharing',
        'hothouse.session.close',
      ],
      'session-notebook-idle': [
        'hothouse.session.saveFiles',
        'hothouse.session.show',
        'hothouse.session.restart',
        'hothouse.session.share',
        'hothouse.session.close',
      ],
    });
  });
});

function matches(when: string, context: string): boolean {
  const pattern = /viewItem =~ \/(.*)\/$/.exec(when)?.[1];
  return pattern === undefined ? when.endsWith(`viewItem == ${context}`) : new RegExp(pattern).test(context);
}
