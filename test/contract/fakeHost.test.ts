import { FakeHost } from '../host/fakeHost.ts';
import { hostContract } from './hostContract.ts';

hostContract('the fake host', () => new FakeHost());
