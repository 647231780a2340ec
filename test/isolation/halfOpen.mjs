// Holds half-open connections to a port of this machine, and reopens each that is closed: `halfOpen.mjs PORT COUNT`.
// Messages its parent when all have been opened once, and how many are open whenever it is asked. Ends with its parent,
// and by itself after a minute.
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const REOPEN_MS = 500;
/** What a client may send without a token. */
const BEGINS = ['', 'POST /mcp HT', 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '];
let opened = 0;
let nowOpen = 0;

function open(number) {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(BEGINS[number % BEGINS.length]);
    opened += 1;
    nowOpen += 1;
    socket.on('close', () => {
      nowOpen -= 1;
    });
    if (opened === count) process.send('open');
  });
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(open, REOPEN_MS, number));
}

process.on('message', () => process.send(nowOpen));
process.on('disconnect', () => process.exit());
setTimeout(() => process.exit(), 60_000);
for (let number = 0; number < count; number += 1) open(number);
