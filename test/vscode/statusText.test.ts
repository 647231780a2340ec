import { describe, expect, it } from 'vitest';
import { statusText } from '../../src/vscode/statusText.ts';
import { environment, sandbox, session, snapshot } from './snapshots.ts';

const WARM = snapshot({
  environments: [environment([sandbox(), sandbox({ id: 'x', state: 'leased' })])],
  sessions: [session()],
});

describe('statusText', () => {
  it('shows no count before the engine starts', () => {
    expect(statusText(snapshot()).text).toBe('$(flame) Hothouse');
  });

  it('counts warm sandboxes', () => {
    expect(statusText(WARM)).toEqual({
      text: '$(flame) Hothouse 1',
      tooltip: 'Hothouse: 1 warm sandbox, 1 session (1 Python), 0 running\nHost: Docker Engine',
      warning: false,
    });
  });

  it('counts the sessions of each language', () => {
    const sessions = [session(), session({ language: 'lean' }), session({ language: 'lean' })];
    expect(statusText(snapshot({ sessions })).tooltip).toBe(
      'Hothouse: 0 warm sandboxes, 3 sessions (1 Python, 2 Lean), 0 running\nHost: Docker Engine',
    );
  });

  it('says why sandboxes run where they do', () => {
    const host = {
      state: 'ready',
      name: 'Bubblewrap',
      runtime: 'bubblewrap',
      reason: 'Docker is not running.',
    } as const;
    expect(statusText(snapshot({ host })).tooltip).toMatch(/\nHost: Bubblewrap\nDocker is not running\.$/);
  });

  it('spins and counts while cells run', () => {
    expect(statusText({ ...WARM, running: 2 }).text).toBe('$(loading~spin) Hothouse 2');
  });

  it('shows a problem first, as a warning', () => {
    const problem = { kind: 'host_stopped', message: 'Docker is not running.', advice: 'Start it.' } as const;
    expect(statusText(WARM, problem)).toEqual({
      text: '$(warning) Hothouse',
      tooltip: 'Docker is not running. Start it.',
      warning: true,
    });
  });
});
