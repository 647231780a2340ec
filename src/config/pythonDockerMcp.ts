import { megabytes, type NoCounterpart, type OtherProgram, otherImage, SHARED_COUNTERPARTS } from './dockerMcp.ts';

const NO_POLICY: NoCounterpart = {
  important: true,
  why: () => 'is not applied: code may import every module that the image has.',
};

/** python-docker-mcp's configuration. */
export const pythonDockerMcp: OtherProgram = {
  name: 'python-docker-mcp',
  counterparts: {
    ...SHARED_COUNTERPARTS,
    'docker.image': otherImage('python.image', ({ python }) => python.image),
    'docker.memory_limit': { key: 'limits.memoryMb', convert: megabytes },
    package: { why: () => 'has no effect here: what code imports has to be in the image.' },
    allowed_modules: NO_POLICY,
    blocked_modules: NO_POLICY,
  },
};
