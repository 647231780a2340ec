// Mime bundles of values, and the events that carry them; objects show themselves as in Deno's kernel.
const { inspect } = require('node:util');
const { fits } = load('jsonshape.js');

const DISPLAY = Symbol.for('Jupyter.display');
const MAX_TEXT = 1 << 20;

function plain(value) {
  const text = inspect(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** The value in every form that it has; a promise where its method returns one. */
function bundle(value) {
  const method = value !== null && (typeof value === 'object' || typeof value === 'function') ? own(value) : undefined;
  if (typeof method !== 'function') return { 'text/plain': plain(value) };
  const complete = (data) => ({ 'text/plain': plain(value), ...withBase64(data) });
  const data = method.call(value);
  return typeof data?.then === 'function' ? data.then(complete) : complete(data);
}

/** A proxy may have every property. */
function own(value) {
  try {
    return value[DISPLAY];
  } catch {
    return undefined;
  }
}

function withBase64(data) {
  const entries = Object.entries(Object(data)).filter(([, content]) => content !== undefined && content !== null);
  return Object.fromEntries(entries.map(([mime, content]) => [mime, encode(content)]));
}

function encode(content) {
  return content instanceof Uint8Array ? Buffer.from(content).toString('base64') : content;
}

/** Turns what user code shows into events, up to the limits of a run; counts the rest. */
class Publisher {
  #emit;
  #limits;
  #bytes = 0;
  #count = 0;
  dropped = 0;

  constructor(emit, limits) {
    this.#emit = emit;
    this.#limits = limits;
  }

  restart() {
    this.#bytes = 0;
    this.#count = 0;
    this.dropped = 0;
  }

  publish(kind, data, fields = {}) {
    this.#count += 1;
    const text = jsonOf(data);
    const isOver = this.#bytes + text.length > this.#limits.eventBytes || this.#count > this.#limits.events;
    if (isOver || !fits(text)) {
      this.dropped += 1;
      return;
    }
    this.#bytes += text.length;
    this.#emit(kind, { data: JSON.parse(text), ...fields });
  }

  clear(wait) {
    this.#count += 1;
    if (this.#count <= this.#limits.events) this.#emit('clear', { wait: Boolean(wait) });
    else this.dropped += 1;
  }
}

function jsonOf(data) {
  try {
    return JSON.stringify(data);
  } catch {
    // JSON has no cycles and no big integers.
    return JSON.stringify(Object.fromEntries(Object.entries(data).map(([mime, content]) => [mime, plain(content)])));
  }
}

/** `display` and the other functions that user code has for it. */
function functionsOf(publisher) {
  const show = (data, id, update) =>
    update ? publisher.publish('update', data, { id }) : publisher.publish('display', data, { id });
  const display = (value, { raw = false, display_id = null, update = false } = {}) => {
    const id = display_id === true ? require('node:crypto').randomUUID() : display_id;
    const data = raw ? withBase64(value) : bundle(value);
    const pending =
      typeof data.then === 'function' ? data.then((made) => show(made, id, update)) : show(data, id, update);
    if (id === null) return pending;
    return { id, update: (other, options) => display(other, { ...options, display_id: id, update: true }) };
  };
  const form =
    (mime) =>
    (strings, ...values) => {
      const text = typeof strings === 'string' ? strings : String.raw({ raw: strings }, ...values);
      return { [DISPLAY]: () => ({ [mime]: text }) };
    };
  const image = (source) => {
    const bytes = typeof source === 'string' ? require('node:fs').readFileSync(source) : Buffer.from(source);
    const mime = bytes[0] === 0xff ? 'image/jpeg' : 'image/png';
    return { [DISPLAY]: () => ({ [mime]: bytes }) };
  };
  const jupyter = {
    $display: DISPLAY,
    display,
    html: form('text/html'),
    md: form('text/markdown'),
    svg: form('image/svg+xml'),
    image,
    clear: ({ wait = false } = {}) => publisher.clear(wait),
  };
  return { display, jupyter };
}

module.exports = { Publisher, bundle, functionsOf };
