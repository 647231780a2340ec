/** What can keep a host or an environment from working. */
export type ProblemKind =
  | 'engine_missing'
  | 'engine_stopped'
  | 'engine_hung'
  | 'engine_too_old'
  | 'permission_denied'
  | 'image_missing'
  | 'image_unusable'
  | 'disk_full'
  | 'no_memory'
  | 'runtime_unknown'
  | 'spec_refused'
  | 'build_failed'
  | 'cancelled'
  | 'host_failed';

/** Something that is wrong outside this program: the cause in a sentence, and the step that mends it. */
export interface Problem {
  readonly kind: ProblemKind;
  /** Cause and subject, one sentence. */
  readonly message: string;
  /** What a person does about it, one sentence. */
  readonly advice: string;
  /** A command line that does it, where there is one. */
  readonly command?: string;
}
