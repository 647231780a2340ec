import { describe, expect, it } from 'vitest';
import { DENIED, SECCOMP_PROFILE } from '../../../src/host/seccomp/profile.ts';

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
}

const profile: { defaultAction: string; archMap: object[]; syscalls: Rule[] } = JSON.parse(SECCOMP_PROFILE);
const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);

describe('the seccomp profile', () => {
  it('denies calls that it does not name', () => {
    expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
  });

  it('has no second architecture', () => {
    expect(profile.archMap).toEqual([
      { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
      { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
    ]);
  });

  it.each(Object.entries(DENIED))('allows no call of the family %s', (_, names) => {
    expect(names.trim().split(/\s+/)).not.toEqual([]);
    for (const name of names.trim().split(/\s+/)) expect(allowed).not.toContain(name);
  });

  it('names each call without conditions once', () => {
    const plain = profile.syscalls.filter((rule) => !('args' in rule)).flatMap(({ names }) => names);
    expect(new Set(plain).size).toBe(plain.length);
    for (const name of ['clone', 'socket', 'socketpair', 'personality']) expect(plain).not.toContain(name);
  });
});
