import { megabytes, type OtherProgram, otherImage, SHARED_COUNTERPARTS } from './dockerMcp.ts';

/** lean-docker-mcp's configuration. What has a place of Lean's own goes there, the rest is for every language. */
export const leanDockerMcp: OtherProgram = {
  name: 'lean-docker-mcp',
  counterparts: {
    ...SHARED_COUNTERPARTS,
    'docker.image': otherImage('lean.image', ({ lean }) => lean.image),
    'docker.cpu_limit': { key: 'lean.cpus' },
    'docker.memory_limit': { key: 'lean.memoryMb', convert: megabytes },
    'lean.allowed_imports': { key: 'lean.allowedImports' },
    'lean.blocked_imports': { key: 'lean.blockedImports' },
  },
};
