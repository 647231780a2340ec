import { megabytes, type OtherProgram, SHARED_COUNTERPARTS } from './dockerMcp.ts';

/** python-docker-mcp's configuration. */
export const pythonDockerMcp: OtherProgram = {
  name: 'python-docker-mcp',
  counterparts: {
    ...SHARED_COUNTERPARTS,
    'docker.image': { key: 'python.image' },
    'docker.memory_limit': { key: 'limits.memoryMb', convert: megabytes },
  },
};
