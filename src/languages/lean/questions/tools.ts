import { z } from 'zod';
import {
  clip,
  defineLanguageTool,
  type LanguageTool,
  type LanguageTools,
  type ToolDefaults,
} from '../../languageTools.ts';
import type { CheckAnswer, LeanEngine, TacticAnswer } from './leanEngine.ts';
import { LEAN_PROOF } from './proofPrompt.ts';
import { MAX_PROOFS, MAX_TACTICS } from './proofs.ts';
import {
  Message,
  MessageTotals,
  messageFields,
  ReportAnswer,
  reportFields,
  reportText,
  totalsOf,
  Verdict,
} from './reportAnswer.ts';

/** Lean's tools for agents. */
export function leanTools(defaults: ToolDefaults): LanguageTools {
  const timeout = timeoutArgument(defaults);
  return {
    instructions:
      'For Lean 4 proofs use lean_check (many proofs in one call); lean_goals and lean_try help to find proofs.',
    tools: [leanCheck(timeout), leanGoals(timeout), leanTry(timeout)],
    prompts: [LEAN_PROOF],
  };
}

const leanTool = defineLanguageTool<{ readonly lean: LeanEngine }>();

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const Code = z.string().describe('Lean 4 code, imports first. It is not kept.');
const SessionId = z
  .string()
  .optional()
  .describe('A Lean session: the code follows its accepted cells. Without code: the session itself.');
const Line = z.int().min(1).describe('From 1, in the given code.');
const Column = z.int().min(0).describe('From 0, in code points.');
const Goals = z.array(z.string()).nullable().describe('Empty: no goals left. null: no goal at this position.');

function timeoutArgument({ timeoutSeconds }: ToolDefaults) {
  return z
    .number()
    .min(0.1)
    .max(86_400)
    .optional()
    .describe(`Time limit in seconds for each. Default: ${timeoutSeconds}, unless configured otherwise.`);
}

const Statement = z
  .string()
  .describe(
    'The theorem as asked for, without its proof: "theorem NAME … : …". The code must declare NAME, and NAME must prove this. Needs no allowed_axioms: standard is the default then.',
  );
const AllowedAxioms = z
  .union([z.literal('standard'), z.array(z.string().min(1)).max(1_000)])
  .describe(
    'The axioms that proofs may rest on, by full name, or "standard": propext, Classical.choice, Quot.sound. native_decide rests on others.',
  );
const JudgementAnswer = z
  .strictObject({
    axioms: z.array(z.string()).describe('Axioms that are not allowed.'),
    reasons: z.array(z.string()).describe('Why the judge rejects; empty when it accepts.'),
  })
  .describe('With allowed_axioms or a statement, of code without an error.');

const ReplayAnswer = z
  .strictObject({
    checker: z.string().nullable().describe('The program that answered; null where there is none.'),
    outcome: z
      .enum(['accepted', 'rejected', 'unavailable', 'failed'])
      .describe('unavailable: the toolchain brings no checker, so that nothing more is known. failed: it did not end.'),
    text: z.string().describe('What the checker printed, or why there is no answer.'),
  })
  .describe('With replay, of accepted code.');

const Failure = z.string().nullable().describe('Why there is no verdict, or null.');

/** What a judge promises, and what it does not. */
const JUDGE_RULES = [
  "With allowed_axioms or a statement, a judge decides too: rejected, with reasons, also means that a proof rests on other axioms, does not prove the statement, or is code that could answer in the judge's place (macros, #eval, metaprograms, native_decide, attributes and options that change Lean), which is not run.",
  'Lean reads a statement before the code, so the code cannot change what it means; the kernel compares. The header is trusted.',
  "With replay, accepted code is also compiled, and the toolchain's own checker (leanchecker) sends each declaration of the compiled file to the kernel again, in a sandbox that the code was never in; replay says which checker said what, and rejected means that it objects. outcome unavailable claims nothing.",
  'An adversary can still exploit a bug in Lean or its kernel, which the checker shares, unsound axioms or options in the header, and settings and messages of tactics, which Lean computes: on a false premise that computation can take over the worker that answers. With replay alone, code that runs while it is compiled can put another, sound file in the place of its own: add a statement or allowed_axioms, with which such code is not run. A forged file can attack the checker itself, whose sandbox has nothing else.',
];

/** `lean_check`: verdicts on many proofs. */
const leanCheck = (timeout: ReturnType<typeof timeoutArgument>): LanguageTool =>
  leanTool({
    name: 'lean_check',
    title: 'Lean Proof Check',
    description: [
      'Checks many Lean 4 snippets independently and returns a result for each, in order. Failures and endless proofs do not block the others.',
      'The verdict is accepted only if Lean checked all of the code without errors and no declaration depends on sorry.',
      'header precedes each snippet: imports and common definitions. It is elaborated once and kept warm, so equal headers make checks fast. Positions in messages refer to the code, not to the header.',
      'main does not run; use run_code for programs.',
      ...JUDGE_RULES,
    ].join('\n'),
    annotations,
    input: z.strictObject({
      proofs: z
        .array(
          z.strictObject({
            id: z.string().optional().describe('Returned with the result.'),
            code: z.string(),
            statement: Statement.optional(),
          }),
        )
        .min(1)
        .max(MAX_PROOFS),
      header: z.string().optional().describe('For example "import Mathlib\\nopen Nat".'),
      timeout_seconds: timeout,
      axioms: z.boolean().optional().describe('Whether to return the axioms of each declaration.'),
      allowed_axioms: AllowedAxioms.optional(),
      replay: z
        .boolean()
        .optional()
        .describe(
          'Whether to have compiled files of accepted code checked again, apart. Takes seconds for each proof.',
        ),
    }),
    output: z.strictObject({
      results: z.array(
        ReportAnswer.extend({
          ...{ id: z.string().nullable(), error: Failure, duration_ms: z.number() },
          judgement: JudgementAnswer.optional(),
          replay: ReplayAnswer.optional(),
        }).strict(),
      ),
      accepted: z.int().describe('Number of accepted proofs.'),
    }),
    async call({ proofs, header, timeout_seconds, axioms = false, allowed_axioms, replay }, { engine, owner, signal }) {
      const given = proofs.map(({ id, code, statement }) => ({
        ...{ code },
        ...(id !== undefined && { id }),
        ...(statement !== undefined && { statement }),
      }));
      const request = {
        ...{ owner, proofs: given },
        ...(allowed_axioms !== undefined && { allowedAxioms: allowed_axioms }),
        ...(header !== undefined && { header }),
        ...(timeout_seconds !== undefined && { timeoutSeconds: timeout_seconds }),
        ...(replay !== undefined && { replay }),
      };
      const checked = await engine.lean.check(request, signal);
      if (!checked.ok) return checked;
      const results = checked.value.map((answer) => checkFields(answer, axioms));
      const accepted = results.filter(({ verdict }) => verdict === 'accepted').length;
      const texts = results.map((result, index) => checkText(result, index));
      return {
        ok: true,
        value: {
          fields: { results, accepted },
          text: clip([`${accepted} of ${results.length} accepted`, ...texts].join('\n')),
        },
      };
    },
  });

/** `lean_goals`: goals at a position. */
const leanGoals = (timeout: ReturnType<typeof timeoutArgument>): LanguageTool =>
  leanTool({
    name: 'lean_goals',
    title: 'Lean Goals',
    description:
      'Returns the goals of Lean 4 code at a position, or at every sorry if line and column are omitted. At the start of a tactic: the goals before it; at its end: the goals after it.',
    annotations,
    input: z.strictObject({
      code: Code.optional(),
      session_id: SessionId,
      line: Line.optional(),
      column: Column.optional(),
      timeout_seconds: timeout,
    }),
    output: ReportAnswer.extend({
      goals: z.array(z.strictObject({ line: z.int(), column: z.int(), goals: Goals })),
      error: Failure,
    }).strict(),
    async call({ code = '', session_id, line, column, timeout_seconds }, { engine, owner, signal }) {
      const request = {
        ...{ owner, code },
        ...(session_id !== undefined && { sessionId: session_id }),
        ...(line !== undefined && { at: { line, column: column ?? 0 } }),
        ...(timeout_seconds !== undefined && { timeoutSeconds: timeout_seconds }),
      };
      const found = await engine.lean.goals(request, signal);
      if (!found.ok) return found;
      const { report, verdict, error } = found.value;
      const goals = found.value.goals.map((at) => ({ ...at, goals: at.goals?.map((goal) => clip(goal)) ?? null }));
      const fields = { ...reportFields(report, verdict, false), goals, error: error?.message ?? null };
      const text = goals.map((at) => `${at.line}:${at.column}: ${goalsText(at.goals)}`);
      const parts = [error?.message ?? '', ...text, reportText({ ...fields, sorries: [] }, false)];
      return { ok: true, value: { fields, text: clip(parts.filter(Boolean).join('\n')) } };
    },
  });

/** `lean_try`: what tactics lead to. */
const leanTry = (timeout: ReturnType<typeof timeoutArgument>): LanguageTool =>
  leanTool({
    name: 'lean_try',
    title: 'Lean Tactic Trial',
    description:
      'Tries each tactic at a position of Lean 4 code, independently and in parallel. Returns the remaining goals or the error of each. A sorry that starts at the position is replaced by the tactic. verdict is for the whole code with the tactic: accepted means that the proof is complete.',
    annotations,
    input: z.strictObject({
      code: Code.optional(),
      session_id: SessionId,
      line: Line,
      column: Column,
      tactics: z.array(z.string()).min(1).max(MAX_TACTICS),
      timeout_seconds: timeout,
    }),
    output: z.strictObject({
      results: z.array(
        z.strictObject({
          tactic: z.string(),
          goals: Goals,
          error: z.string().nullable(),
          messages: z.array(Message),
          ...MessageTotals,
          verdict: Verdict.nullable(),
          duration_ms: z.number(),
        }),
      ),
    }),
    async call({ code = '', session_id, line, column, tactics, timeout_seconds }, { engine, owner, signal }) {
      const request = {
        ...{ owner, code, tactics, at: { line, column } },
        ...(session_id !== undefined && { sessionId: session_id }),
        ...(timeout_seconds !== undefined && { timeoutSeconds: timeout_seconds }),
      };
      const tried = await engine.lean.tryTactics(request, signal);
      if (!tried.ok) return tried;
      const results = tried.value.map(tacticFields);
      const text = results.map(({ tactic, error, goals }) => `${tactic}: ${error ?? goalsText(goals)}`).join('\n');
      return { ok: true, value: { fields: { results }, text: clip(text) } };
    },
  });

function checkFields({ id, verdict, report, error, durationMs }: CheckAnswer, axioms: boolean) {
  const fields = reportFields(report, verdict, axioms);
  const { axioms: others = [], reasons = [] } = report?.judgement ?? {};
  return {
    ...{ id, ...fields, error: error?.message ?? null, duration_ms: rounded(durationMs) },
    ...(report?.judgement && { judgement: { axioms: [...others], reasons: reasons.map(clip) } }),
    ...(report?.replay && { replay: { ...report.replay, text: clip(report.replay.text) } }),
  };
}

function checkText({ id, error, ...report }: ReturnType<typeof checkFields>, index: number): string {
  const name = id ?? `proof ${index + 1}`;
  const said = report.replay && `${report.replay.checker ?? 'replay'}: ${report.replay.outcome} ${report.replay.text}`;
  const more = [error ?? '', ...(report.judgement?.reasons ?? []), said?.trim() ?? '', reportText(report, false)]
    .filter(Boolean)
    .join('\n');
  return `[${name}: ${report.verdict ?? 'no verdict'}]${more ? `\n${more}` : ''}`;
}

function tacticFields({ tactic, goals, error, verdict, durationMs, ...report }: TacticAnswer) {
  return {
    tactic,
    goals: goals?.map((goal) => clip(goal)) ?? null,
    error: error && clip(error),
    messages: report.messages.map(messageFields),
    ...totalsOf(report),
    verdict,
    duration_ms: rounded(durationMs),
  };
}

function goalsText(goals: readonly string[] | null): string {
  if (goals === null) return 'no goal there';
  return goals.length === 0 ? 'no goals left' : goals.join('\n\n');
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
