/** One step of a build, as BuildKit reports it; each report of it has all fields known by then. */
export interface TracedStep {
  readonly digest: string;
  readonly name: string;
  readonly isStarted: boolean;
  readonly isCached: boolean;
  readonly error: string;
}

/** Output of one step. */
export interface TracedOutput {
  readonly digest: string;
  readonly bytes: Buffer;
}

/** One report of BuildKit's progress. */
export interface BuildTrace {
  readonly steps: readonly TracedStep[];
  readonly outputs: readonly TracedOutput[];
}

/** Numbers of the fields of `StatusResponse`, `Vertex` and `VertexLog` in BuildKit's `control.proto`. */
const STATUS = { steps: 1, outputs: 3 };
const STEP = { digest: 1, name: 3, cached: 4, started: 5, error: 7 };
const OUTPUT = { digest: 1, bytes: 4 };

/** Reads a report in the wire format of protocol buffers. Throws a `RangeError` when it is cut off. */
export function readTrace(bytes: Buffer): BuildTrace {
  const fields = fieldsOf(bytes);
  return {
    steps: all(fields, STATUS.steps).map((step) => readStep(fieldsOf(step))),
    outputs: all(fields, STATUS.outputs).map((output) => readOutput(fieldsOf(output))),
  };
}

function readStep(fields: readonly Field[]): TracedStep {
  return {
    digest: textOf(fields, STEP.digest),
    name: textOf(fields, STEP.name),
    isStarted: fields.some(({ number }) => number === STEP.started),
    isCached: fields.some(({ number, value }) => number === STEP.cached && value === 1n),
    error: textOf(fields, STEP.error),
  };
}

function readOutput(fields: readonly Field[]): TracedOutput {
  return { digest: textOf(fields, OUTPUT.digest), bytes: all(fields, OUTPUT.bytes).at(-1) ?? Buffer.alloc(0) };
}

interface Field {
  readonly number: number;
  readonly value: Buffer | bigint;
}

function all(fields: readonly Field[], wanted: number): Buffer[] {
  return fields.flatMap(({ number, value }) => (number === wanted && typeof value !== 'bigint' ? [value] : []));
}

function textOf(fields: readonly Field[], wanted: number): string {
  return all(fields, wanted).at(-1)?.toString() ?? '';
}

function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => {
    if (length > bytes.length - at) throw new RangeError('A field is longer than its message.');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const read = (wireType: number) => {
    if (wireType === 0) return varint();
    if (wireType === 1) return take(8);
    if (wireType === 2) return take(Number(varint()));
    if (wireType === 5) return take(4);
    throw new RangeError(`A field has the wire type ${wireType}.`);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    fields.push({ number: key >> 3, value: read(key & 7) });
  }
  return fields;
}
