import { codeExecuter } from './codeExecuter/profile.ts';
import { dockerExecutor } from './dockerExecutor/profile.ts';
import { leanDockerMcp } from './leanDockerMcp/profile.ts';
import type { Profile } from './profile.ts';
import { pythonDockerMcp } from './pythonDockerMcp/profile.ts';

/** The older servers that Hothouse can stand in for. */
export const PROFILES: readonly Profile[] = [pythonDockerMcp, leanDockerMcp, codeExecuter, dockerExecutor];

/** The profile with that id. */
export function profileOf(id: string): Profile | undefined {
  return PROFILES.find((profile) => profile.id === id);
}
