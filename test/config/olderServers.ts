import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The configuration that the documentation of python-docker-mcp shows. */
const PYTHON_YAML = `
docker:
  image: python:3.12.2-slim
  working_dir: /app
  memory_limit: 256m
  cpu_limit: 0.5
  timeout: 30
  network_disabled: true
  read_only: true
package:
  installer: uv
  index_url: null
  trusted_hosts: []
allowed_modules:
  - math
  - datetime
blocked_modules:
  - os
  - sys
`;

/** The variables that it documents. */
export const PYTHON_VARIABLES = {
  PYTHON_DOCKER_MCP_POOL_ENABLED: 'true',
  PYTHON_DOCKER_MCP_POOL_SIZE: '32',
  PYTHON_DOCKER_MCP_POOL_MAX_AGE: '300',
  PYTHON_DOCKER_MCP_MAX_CONCURRENT_CREATIONS: '5',
  PYTHON_DOCKER_MCP_MEMORY_LIMIT: '256m',
  PYTHON_DOCKER_MCP_CPU_LIMIT: '0.5',
};

/** The same of lean-docker-mcp. */
const LEAN_YAML = `
docker:
  image: lean-docker-mcp:latest
  working_dir: /home/leanuser/project
  memory_limit: 256m
  cpu_limit: 0.5
  timeout: 30
  network_disabled: true
  read_only: false
  pool_enabled: true
  pool_size: 32
  pool_max_age: 300
  max_concurrent_creations: 5
lean:
  allowed_imports: [Lean, Init, Std, Mathlib]
  blocked_imports: [System.IO.Process, System.FilePath]
`;

/** The variables of lean-docker-mcp. */
export const LEAN_VARIABLES = {
  LEAN_DOCKER_MCP_POOL_SIZE: '32',
  LEAN_DOCKER_MCP_POOL_MAX_AGE: '300',
  LEAN_DOCKER_MCP_MAX_CONCURRENT_CREATIONS: '5',
  LEAN_DOCKER_MCP_POOL_ENABLED: 'true',
  LEAN_DOCKER_MCP_MEMORY_LIMIT: '256m',
  LEAN_DOCKER_MCP_CPU_LIMIT: '0.5',
  LEAN_DOCKER_MCP_TIMEOUT: '30',
};

/** Writes both configurations into a home folder. */
export async function writeOlderConfiguration(
  home: string,
): Promise<{ readonly python: string; readonly lean: string }> {
  const paths = {
    python: join(home, '.python-docker-mcp/config.yaml'),
    lean: join(home, '.lean-docker-mcp/config.yaml'),
  };
  for (const [path, text] of [
    [paths.python, PYTHON_YAML],
    [paths.lean, LEAN_YAML],
  ] as const) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return paths;
}
