import { describe, expect, it } from 'vitest';
import { seccompFilter } from '../../../src/host/seccomp/filter.ts';
import { AUDIT_ARCH, type Machine, systemCallNumbers } from '../../../src/host/seccomp/numbers.ts';
import { DENIED, SECCOMP_PROFILE } from '../../../src/host/seccomp/profile.ts';

const ALLOW = 0x7fff_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const KILL = 0x8000_0000;

/** What the kernel does with a filter: `struct seccomp_data` in, result out. */
function decide(filter: Buffer, architecture: number, number: number, args: readonly bigint[] = []): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  args.forEach((value, index) => {
    data.writeBigUInt64LE(value, 16 + 8 * index);
  });
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const [code, yes, no, operand] = [
      filter.readUInt16LE(at),
      filter.readUInt8(at + 2),
      filter.readUInt8(at + 3),
      filter.readUInt32LE(at + 4),
    ];
    if (code === 0x20) loaded = data.readUInt32LE(operand);
    else if (code === 0x54) loaded = (loaded & operand) >>> 0;
    else if (code === 0x05) at += 8 * operand;
    else if (code === 0x15) at += 8 * (loaded === operand ? yes : no);
    else if (code === 0x35) at += 8 * (loaded >= operand ? yes : no);
    else if (code === 0x06) return operand;
    else throw new Error(`instruction ${code}`);
  }
  throw new Error('the filter has no end');
}

const profile: { syscalls: { names: string[]; action: string; args?: object[] }[] } = JSON.parse(SECCOMP_PROFILE);
const allowed = profile.syscalls.filter(({ action, args }) => action === 'SCMP_ACT_ALLOW' && !args);

describe.each(['x86_64', 'aarch64'] as const)('the filter for %s', (machine: Machine) => {
  const filter = seccompFilter(SECCOMP_PROFILE, machine) ?? Buffer.alloc(0);
  const numbers = systemCallNumbers(machine);
  const call = (name: string, ...args: number[]) =>
    decide(filter, AUDIT_ARCH[machine], numbers.get(name) ?? -1, args.map(BigInt));
  const known = (names: readonly string[]) => names.filter((name) => numbers.has(name));

  it('is short enough for the kernel', () => {
    expect(filter.length / 8).toBeLessThan(4_096);
  });

  it('allows what the profile allows, and nothing else of all numbers', () => {
    const names = known(allowed.flatMap((rule) => rule.names));
    expect(names.length).toBeGreaterThan(200);
    const expected = new Set(names.map((name) => numbers.get(name)));
    const found = Array.from({ length: 2_048 }, (_, number) => number).filter(
      (number) => decide(filter, AUDIT_ARCH[machine], number, Array(6).fill(0x55_5555_5555n)) === ALLOW,
    );
    expect(new Set(found)).toEqual(expected);
  });

  it('denies with ENOSYS what the profile denies so, and what is newer than its tables', () => {
    for (const name of known(Object.values(DENIED).flatMap((names) => names.trim().split(/\s+/)))) {
      expect([name, call(name)]).toEqual([name, ENOSYS]);
    }
    expect(decide(filter, AUDIT_ARCH[machine], Math.max(...numbers.values()) + 1)).toBe(ENOSYS);
  });

  it('denies with EPERM what the profile does not name', () => {
    expect(call('setxattrat')).toBe(EPERM);
  });

  it('looks at arguments', () => {
    const [own, other] = [0, 1];
    expect(call('prlimit64', own, 7, 99)).toBe(ALLOW);
    expect(call('prlimit64', other, 7, 0)).toBe(ALLOW);
    expect(call('prlimit64', other, 7, 99)).toBe(EPERM);
    expect(call('socket', 1)).toBe(ALLOW);
    expect([call('socket', 2, 1, 6), call('socket', 2, 1, 1), call('socket', 38)]).toEqual([ALLOW, EPERM, EPERM]);
    expect([call('clone', 0x11), call('clone', 0x1000_0011)]).toEqual([ALLOW, EPERM]);
    expect([call('personality', 0xffff_ffff), call('personality', 0x4_0000)]).toEqual([ALLOW, EPERM]);
  });

  it('compares all 64 bits of an argument', () => {
    expect(call('sched_setaffinity', 2 ** 32)).toBe(EPERM);
    expect(call('socket', 1 + 2 ** 32)).toBe(EPERM);
  });

  it('denies limits, priorities and scheduling of every process but the caller', () => {
    for (const name of ['prlimit64', 'sched_setaffinity', 'sched_setparam', 'sched_setscheduler']) {
      for (const pid of [1, 2, 1_000, 2 ** 22]) expect(call(name, pid, 1, 1)).toBe(EPERM);
      expect(call(name, 0, 1, 1)).toBe(ALLOW);
    }
    for (const [which, who] of [
      [0, 1],
      [1, 0],
      [2, 0],
      [2, 1_000],
    ] as const) {
      expect(call('setpriority', which, who, 0)).toBe(EPERM);
    }
    expect(call('setpriority', 0, 0, 5)).toBe(ALLOW);
    expect(call('sched_setattr', 0)).toBe(ENOSYS);
  });

  it('kills programs of other architectures and of x32', () => {
    const i386 = 0x4000_0003;
    for (const other of [i386, 0xc000_00f3, 0]) expect(decide(filter, other, 0)).toBe(KILL);
    expect(decide(filter, AUDIT_ARCH[machine], 0x4000_0000)).toBe(KILL);
    expect(decide(filter, AUDIT_ARCH[machine], 0xffff_ffff)).toBe(KILL);
  });
});

describe('seccompFilter', () => {
  it('makes no filter of a profile that allows everything', () => {
    expect(seccompFilter(JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW' }), 'x86_64')).toBeNull();
  });

  it('refuses what it cannot compile', () => {
    const odd = (rule: object) => JSON.stringify({ defaultAction: 'SCMP_ACT_ERRNO', syscalls: [rule] });
    const greater = { index: 0, value: 1, valueTwo: 0, op: 'SCMP_CMP_GT' };
    expect(() => seccompFilter(odd({ names: ['read'], action: 'SCMP_ACT_LOG' }), 'x86_64')).toThrow('SCMP_ACT_LOG');
    expect(() => seccompFilter(odd({ names: ['read'], action: 'SCMP_ACT_ALLOW', args: [greater] }), 'x86_64')).toThrow(
      'SCMP_CMP_GT',
    );
  });
});

describe('the tables of system calls', () => {
  it('know every call of the profile on one of the machines', () => {
    const known = new Set([...systemCallNumbers('x86_64').keys(), ...systemCallNumbers('aarch64').keys()]);
    expect(profile.syscalls.flatMap(({ names }) => names).filter((name) => !known.has(name))).toEqual([]);
  });

  it('agree with numbers that programs rely on', () => {
    const pick = (machine: Machine) =>
      ['openat', 'wait4', 'seccomp', 'clone3', 'mseal'].map((name) => systemCallNumbers(machine).get(name));
    expect(pick('x86_64')).toEqual([257, 61, 317, 435, 462]);
    expect(pick('aarch64')).toEqual([56, 260, 277, 435, 462]);
  });
});
