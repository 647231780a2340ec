import { describe, expect, it } from 'vitest';
import { engineAt, failureOf, isConnectionProblem, problemOf } from '../../../src/host/docker/problems.ts';
import { HostError } from '../../../src/host/host.ts';

const system = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const engine = (statusCode: number, message: string) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) - ${message}`), { statusCode, json: { message } });

describe('problemOf', () => {
  it.each([
    [system('ECONNREFUSED'), 'host_stopped', true],
    [system('ECONNRESET'), 'host_stopped', true],
    [system('ENOENT'), 'host_stopped', true],
    [system('EACCES'), 'permission_denied', true],
    [system('EPERM'), 'permission_denied', true],
    [engine(400, 'Minimum memory limit allowed is 6MB'), 'spec_refused', false],
    [engine(500, 'write /var/lib/docker/x: no space left on device'), 'disk_full', false],
    [engine(500, 'fork/exec runc: cannot allocate memory'), 'no_memory', false],
    [engine(500, 'something else'), 'host_failed', false],
    [new Error('no code at all'), 'host_failed', false],
  ])('%s is %s', (error, kind, lost) => {
    const problem = problemOf(error, 'The Docker Engine at unix:///e.sock', 'create a container');
    expect(problem.kind).toBe(kind);
    expect(isConnectionProblem(problem)).toBe(lost);
    expect(problem.message).toMatch(/\S/);
    expect(problem.advice).toMatch(/\.$/);
  });

  it("names cause and subject from Docker's message, and the next step", () => {
    expect(
      problemOf(engine(400, 'invalid CPU count'), 'The Docker Engine at unix:///e.sock', 'create a container'),
    ).toEqual({
      kind: 'spec_refused',
      message: 'The Docker Engine at unix:///e.sock could not create a container: invalid CPU count',
      advice: 'Check the limits of sandboxes and the option docker.runtime.',
    });
  });

  it("reads from Podman's cause that the container cannot be what it is to be", () => {
    const json = { message: 'crun: executable file `nothing` not found in $PATH', cause: 'OCI runtime error' };
    const error = Object.assign(new Error('(HTTP code 500)'), { statusCode: 500, json });
    expect(problemOf(error, 'Podman at unix:///p.sock', 'start a container')).toMatchObject({
      kind: 'spec_refused',
      message: `Podman at unix:///p.sock could not start a container: ${json.message}`,
    });
  });

  it("says how to get a Podman of one's own in place of root's", () => {
    const problem = problemOf(system('EACCES'), engineAt('unix:///run/podman/podman.sock'), 'report its version');
    expect(problem).toEqual({
      kind: 'permission_denied',
      message: 'This user may not open the socket of Podman at unix:///run/podman/podman.sock.',
      advice: 'Start a Podman service of this user, which needs no rights of root.',
      command: 'systemctl --user start podman.socket',
    });
  });

  it('names the sandbox around Hothouse that forbids the socket, where no right of the user would help', () => {
    expect(problemOf(system('EPERM'), engineAt('unix:///var/run/docker.sock'), 'report its version')).toEqual({
      kind: 'permission_denied',
      message: 'A sandbox around Hothouse forbids connections to the Docker Engine at unix:///var/run/docker.sock.',
      advice: 'Start Hothouse without that sandbox; in the mcp.json of VS Code, remove "sandboxEnabled".',
    });
  });

  it('keeps a problem that is already one', () => {
    const problem = { kind: 'cancelled', message: 'm', advice: 'a' } as const;
    expect(problemOf(new HostError(problem), 'e', 'd')).toBe(problem);
  });

  it('maps failures without a message', () => {
    expect(failureOf('text')).toEqual({ status: null, code: null, text: 'text', cause: null });
  });
});
