import { AUDIT_ARCH, type Machine, systemCallNumbers } from './numbers.ts';

/** A profile in the form that container engines take, as far as filters are compiled from it. */
interface Profile {
  readonly defaultAction: string;
  readonly syscalls?: readonly Rule[];
}

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly Condition[];
}

interface Condition {
  readonly index: number;
  readonly value: number;
  readonly valueTwo: number;
  readonly op: string;
}

/** One instruction of classic BPF; jumps count instructions that are skipped. */
interface Instruction {
  readonly code: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
  readonly operand: number;
}

type Program = readonly Instruction[];

/** From `linux/bpf_common.h`. */
const LOAD = 0x20;
const AND = 0x54;
const JUMP = 0x05;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;

/** From `linux/seccomp.h`: results, and where `struct seccomp_data` has its fields. */
const ALLOW = 0x7fff_0000;
const FAIL = 0x0005_0000;
const KILL = 0x8000_0000;
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;

const EPERM = 1;
const ENOSYS = 38;
/** Calls of x32, the second interface of x86-64, have this bit. */
const X32 = 0x4000_0000;
/** The longest conditional jump. */
const MAX_JUMP = 255;

/**
 * A profile (JSON text) as a filter that a process of that machine can install on itself: `struct sock_filter`s, little
 * endian. Null for a profile that allows everything. It decides as Docker does: a program of another architecture is
 * killed, and a call that is newer than the tables does not exist. Throws on actions and comparisons it does not know.
 */
export function seccompFilter(profile: string, machine: Machine): Buffer | null {
  const { defaultAction, syscalls = [] }: Profile = JSON.parse(profile);
  const otherwise = returns(resultOf({ action: defaultAction }));
  if (syscalls.length === 0 && defaultAction === 'SCMP_ACT_ALLOW') return null;
  const numbers = systemCallNumbers(machine);
  const decisions = new Map<number, Program>();
  for (const [name, rules] of rulesByName(syscalls)) {
    const number = numbers.get(name);
    if (number !== undefined) decisions.set(number, decisionOf(rules, otherwise));
  }
  const last = Math.max(...numbers.values());
  const regions = regionsOf(decisions, last, otherwise);
  return encode([
    { code: LOAD, operand: ARCHITECTURE_AT },
    ...unless(IF_EQUAL, AUDIT_ARCH[machine], returns(KILL)),
    { code: LOAD, operand: NUMBER_AT },
    ...search([...regions, { from: last + 1, program: returns(FAIL | ENOSYS) }, { from: X32, program: returns(KILL) }]),
  ]);
}

/** From one number to the next region's, every call has the same decision. */
interface Region {
  readonly from: number;
  readonly program: Program;
}

function regionsOf(decisions: ReadonlyMap<number, Program>, last: number, otherwise: Program): Region[] {
  const regions: Region[] = [];
  for (let from = 0; from <= last; from += 1) {
    const program = decisions.get(from) ?? otherwise;
    if (JSON.stringify(regions.at(-1)?.program) !== JSON.stringify(program)) regions.push({ from, program });
  }
  return regions;
}

/** A binary search for the region of the loaded number. */
function search(regions: readonly Region[]): Program {
  const [only] = regions;
  if (!only) return [];
  if (regions.length === 1) return only.program;
  const middle = Math.floor(regions.length / 2);
  const below = search(regions.slice(0, middle));
  return [...unless(IF_AT_LEAST, regions[middle]?.from ?? 0, below), ...search(regions.slice(middle))];
}

/** Runs `program`, which returns, where the comparison does not hold, and otherwise what follows. */
function unless(code: number, operand: number, program: Program): Program {
  if (program.length <= MAX_JUMP) return [{ code, ifTrue: program.length, operand }, ...program];
  return [{ code, ifFalse: 1, operand }, { code: JUMP, operand: program.length }, ...program];
}

function rulesByName(rules: readonly Rule[]): Map<string, Rule[]> {
  const byName = new Map<string, Rule[]>();
  for (const rule of rules) for (const name of rule.names) byName.set(name, [...(byName.get(name) ?? []), rule]);
  return byName;
}

/** The first rule counts whose conditions all hold. */
function decisionOf(rules: readonly Rule[], otherwise: Program): Program {
  const unconditional = rules.find(({ args = [] }) => args.length === 0);
  const fallback = unconditional ? returns(resultOf(unconditional)) : otherwise;
  return [...rules.filter(({ args = [] }) => args.length > 0).flatMap(conditional), ...fallback];
}

/** Returns the rule's result where all its conditions hold; falls through otherwise. */
function conditional(rule: Rule): Program {
  let program = returns(resultOf(rule));
  for (const { word, mask, value } of (rule.args ?? []).flatMap(comparisonsOf)) {
    const load = [{ code: LOAD, operand: word }, ...(mask === ALL ? [] : [{ code: AND, operand: mask }])];
    program = [...load, { code: IF_EQUAL, ifFalse: program.length, operand: value }, ...program];
  }
  return program;
}

const ALL = 0xffff_ffff;

/** A comparison of one of the two 32-bit words of an argument, the lower one first. */
interface Comparison {
  readonly word: number;
  readonly mask: number;
  readonly value: number;
}

function comparisonsOf({ index, value, valueTwo, op }: Condition): Comparison[] {
  const word = ARGUMENTS_AT + 8 * index;
  const isMasked = op === 'SCMP_CMP_MASKED_EQ';
  if (!isMasked && op !== 'SCMP_CMP_EQ') throw new Error(`no filter can be compiled with ${op}`);
  const expected = isMasked ? valueTwo : value;
  const low = { word, mask: isMasked ? lowOf(value) : ALL, value: lowOf(expected) };
  const high = { word: word + 4, mask: isMasked ? highOf(value) : ALL, value: highOf(expected) };
  return high.mask === 0 ? [low] : [low, high];
}

function lowOf(value: number): number {
  return value % 2 ** 32;
}

function highOf(value: number): number {
  return Math.floor(value / 2 ** 32);
}

function returns(result: number): Program {
  return [{ code: RETURN, operand: result }];
}

function resultOf({ action, errnoRet = EPERM }: Pick<Rule, 'action' | 'errnoRet'>): number {
  if (action === 'SCMP_ACT_ALLOW') return ALLOW;
  if (action === 'SCMP_ACT_ERRNO') return FAIL | errnoRet;
  throw new Error(`no filter can be compiled with ${action}`);
}

function encode(program: Program): Buffer {
  const bytes = Buffer.alloc(8 * program.length);
  program.forEach(({ code, ifTrue = 0, ifFalse = 0, operand }, index) => {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(operand, 8 * index + 4);
  });
  return bytes;
}
