import { homedir } from 'node:os';
import { silentLog } from '../../src/base/log.ts';
import { dockerHost } from '../../src/host/docker/dockerHost.ts';
import { hostContract } from './hostContract.ts';

hostContract('a Docker Engine', () => dockerHost({ env: process.env, home: homedir(), log: silentLog }));
