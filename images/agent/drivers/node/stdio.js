// process.stdin, stdout and stderr of user code: written at once, in order, and a stdin of its own for each cell.
const fs = require('node:fs');
const { Writable } = require('node:stream');
const { FDS, beforeWrite, writeAll } = load('channels.js');

class Output extends Writable {
  constructor(fd) {
    super({ decodeStrings: true });
    this.fd = fd;
    this._type = 'pipe';
    this._isStdio = true;
  }

  _write(chunk, _encoding, done) {
    try {
      beforeWrite(this.fd);
      writeAll(this.fd, chunk);
      done();
    } catch (error) {
      done(error.code === 'EPIPE' || error.code === 'EBADF' ? null : error);
    }
  }

  // A cell that ends one of these would make every later one fail.
  end(chunk, encoding, done) {
    const callback = [chunk, encoding, done].find((argument) => typeof argument === 'function');
    if (chunk !== undefined && chunk !== null && chunk !== callback) this.write(chunk);
    if (callback) process.nextTick(callback);
    return this;
  }

  destroy() {
    return this;
  }
}

/** Replaces the streams of `process`. */
function install() {
  for (const name of ['stdout', 'stderr']) {
    const stream = new Output(FDS[name]);
    const get = () => stream;
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get });
  }
}

/** Makes `text` the whole of stdin, for this process and those it starts. */
function giveStdin(text) {
  closeIfOpen(0);
  if (openText(text) !== 0) throw new Error('stdin could not be replaced');
  let stream;
  const get = () => {
    stream ??= new fs.ReadStream(null, { fd: 0, autoClose: false });
    return stream;
  };
  Object.defineProperty(process, 'stdin', { configurable: true, enumerable: true, get });
}

function closeIfOpen(fd) {
  try {
    fs.closeSync(fd);
  } catch {
    // User code has closed it.
  }
}

/** A descriptor of a file with this text and without a name; the lowest free one. */
function openText(text) {
  if (text === '') return fs.openSync('/dev/null', 'r');
  const folder = fs.mkdtempSync('/tmp/stdin-');
  const path = `${folder}/stdin`;
  try {
    fs.writeFileSync(path, text);
    return fs.openSync(path, 'r');
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { giveStdin, install };
