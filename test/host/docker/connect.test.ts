import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/host/docker/connect.ts';

describe('parseAddress', () => {
  it.each([
    ['unix:///var/run/docker.sock', false, { kind: 'socket', path: '/var/run/docker.sock' }],
    ['/var/run/docker.sock', false, { kind: 'socket', path: '/var/run/docker.sock' }],
    ['npipe:////./pipe/docker_engine', false, { kind: 'socket', path: '//./pipe/docker_engine' }],
    ['tcp://localhost:2375', false, { kind: 'tcp', host: 'localhost', port: 2375, secure: false }],
    ['tcp://localhost', false, { kind: 'tcp', host: 'localhost', port: 2375, secure: false }],
    ['tcp://localhost', true, { kind: 'tcp', host: 'localhost', port: 2376, secure: true }],
    ['tcp://10.0.0.1:2376', false, { kind: 'tcp', host: '10.0.0.1', port: 2376, secure: true }],
    ['10.0.0.1:4000', true, { kind: 'tcp', host: '10.0.0.1', port: 4000, secure: true }],
    ['http://[::1]:2375', false, { kind: 'tcp', host: '::1', port: 2375, secure: false }],
    ['https://engine:4000', false, { kind: 'tcp', host: 'engine', port: 4000, secure: true }],
    ['ssh://me@engine', false, { kind: 'ssh', host: 'engine', port: 22, user: 'me' }],
    ['ssh://engine:2222', false, { kind: 'ssh', host: 'engine', port: 2222, user: '' }],
  ])('parses %s', (text, secure, address) => {
    expect(parseAddress(text, secure)).toEqual(address);
  });

  it.each(['', 'unix://', 'tcp://', 'ftp://engine', 'not an address', 'tcp://engine:port'])('rejects %j', (text) => {
    expect(parseAddress(text, false)).toBeNull();
  });
});
