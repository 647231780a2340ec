import { Readable } from 'node:stream';

const HEADER_BYTES = 8;
const STDOUT = 1;
const STDOUT_BUFFER_BYTES = 256 * 1024;
const STDERR_KEPT_BYTES = 64 * 1024;

/** The two output streams that an attached container sends over one connection. */
export interface Demuxed {
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Splits `source` into the container's stdout and stderr, which end with it. A slow reader of stdout slows the
 * container. A slow reader of stderr does not: beyond 64 KB unread stderr is dropped.
 */
export function demux(source: Readable): Demuxed {
  const stdout = new Readable({ highWaterMark: STDOUT_BUFFER_BYTES, read: () => source.resume() });
  const stderr = new Readable({ highWaterMark: STDERR_KEPT_BYTES, read() {} });
  const split = splitter((stream, bytes) => {
    if (stream === STDOUT) {
      if (!stdout.push(bytes)) source.pause();
    } else if (stderr.readableLength < STDERR_KEPT_BYTES) stderr.push(bytes);
  });
  const end = () => {
    stdout.push(null);
    stderr.push(null);
  };
  source.on('data', split);
  source.once('end', end);
  source.once('close', end);
  return { stdout, stderr };
}

/**
 * A function that takes chunks of the connection and emits each piece of payload, without copying, with the number of
 * its stream. A message is an 8-byte header (stream u8, three zeros, length u32 big endian) and its payload.
 */
export function splitter(onBytes: (stream: number, bytes: Buffer) => void): (chunk: Buffer) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let missing = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (missing === 0) {
        const taken = chunk.copy(header, headerBytes, at, at + HEADER_BYTES - headerBytes);
        at += taken;
        headerBytes = (headerBytes + taken) % HEADER_BYTES;
        if (headerBytes === 0) missing = header.readUInt32BE(4);
      } else {
        const bytes = chunk.subarray(at, at + missing);
        at += bytes.length;
        missing -= bytes.length;
        onBytes(header.readUInt8(0), bytes);
      }
    }
  };
}
