import { z } from 'zod';
import type { Owner } from '../types.ts';

/** Packages for a session. */
export interface InstallRequest {
  readonly sessionId: string;
  readonly owner: Owner;
  /** Names of packages, with extras, versions and markers. */
  readonly packages: readonly string[];
  /** Paths of packages in the session's workspace, as in `dist/mine-1.0-py3-none-any.whl`. */
  readonly files?: readonly string[];
  readonly upgrade?: boolean;
  /** Packages that the same request has brought into the interpreter before are not installed again. */
  readonly areReferences?: boolean | undefined;
  /** A person has agreed to these packages. Never from a tool's argument. */
  readonly isApproved?: boolean;
}

const Text = z.string().max(200);

/** Packages that an installation has added; `replaced` is the version that the session had before, if it had one. */
export const AddedPackages = z
  .array(z.object({ name: Text, version: Text, replaced: Text.nullable() }).readonly())
  .max(5_000)
  .readonly();
export type AddedPackage = z.infer<typeof AddedPackages>[number];

/** What an installation has done. */
export interface InstallReport {
  readonly sessionId: string;
  /** Empty where the session had all of them. */
  readonly added: readonly AddedPackage[];
  /** What the installer has said. */
  readonly output: string;
  /** What to do so that the packages can be used, one sentence each. */
  readonly notes: readonly string[];
}
