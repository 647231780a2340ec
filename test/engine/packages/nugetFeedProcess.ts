import { buffer } from 'node:stream/consumers';
import { nugetFeed } from './nugetFeed.ts';

// A feed in a process of its own, with one package: the assembly `Greeting`, which comes on stdin. Prints its address.
const assembly = await buffer(process.stdin);
const { url } = await nugetFeed([
  { name: 'Greeting', version: '1.2.0', files: { 'lib/net45/Greeting.dll': assembly } },
]);
process.stdout.write(`${url}\n`);
