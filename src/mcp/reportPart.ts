import type { z } from 'zod';
import type { RunResult } from '../engine/types.ts';

/** How one language's reports appear in the answers of `run_code` and in `hothouse run --json`. */
export interface ReportPart {
  readonly language: string;
  /** The fields that answers have beside the general ones. */
  readonly fields: z.ZodRawShape;
  describe(run: RunResult, withAxioms: boolean): DescribedReport;
}

/** What a language says of a run. */
export interface DescribedReport {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly verdict: string | null;
  /** Its texts tell the errors, so that the run's own error has nothing to add. */
  readonly hasErrors: boolean;
  /** Sections for a reader; some may be empty. */
  readonly texts: readonly string[];
}

/** What a language without reports says. */
export const NO_REPORT: DescribedReport = { fields: {}, verdict: null, hasErrors: false, texts: [] };
