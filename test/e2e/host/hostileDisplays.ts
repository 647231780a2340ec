/** Python that sends raw events to the engine, without the checks of the display functions. */
export const RAW_EVENTS = `
import json, sys
_driver = sys.modules["hothouse_agent.interpreter"]._interpreter

def raw(fields):
    "Sends an event with these fields, which are the inside of a JSON object."
    _driver._sequencer.emit(('{"token": %s, %s}' % (json.dumps(_driver._token), fields)).encode(), False)

def show(data, kind='display', id='null'):
    raw('"type": "%s", "id": %s, "data": %s' % (kind, id, data))

def form(mime, content='"x"', **more):
    show('{%s: %s}' % (json.dumps(mime), content), **more)
`;

const BAD_MIMES = [
  '',
  ' ',
  'x',
  '/',
  'a/',
  '/b',
  '//',
  'text',
  'text plain',
  '\n/\n',
  '\u0000',
  '\u0000/\u0000',
  'text/plain;',
  'text/plain;;;',
  ';/;',
  'image/png/../../x',
  '__proto__',
  '__proto__/x',
  'constructor',
  'toString/valueOf',
  'TEXT/HTML',
  'Image/PNG',
  '\u202etxet/nialp',
  '🔥/🔥',
  '*/*',
  'text/*',
  'a/b,c/d',
  '../../x',
  'javascript:alert(1)/x',
  'application/vnd.code.notebook.error',
  'application/vnd.code.notebook.stdout',
  'application/vnd.code.notebook.stderr',
  'application/x.notebook.stream',
  'application/vnd.jupyter.widget-view+json',
  'application/vnd.vega.v5+json',
  'application/json',
  'x-application/json+x',
  'image/png',
  'image/svg+xml',
  'video/mp4',
  'application/pdf',
];

const CONTENTS = [
  'null',
  'true',
  '1e999',
  '-0',
  '""',
  '[]',
  '{}',
  '{"__proto__": {"x": 1}}',
  '{"toJSON": 1}',
  String.raw`"\ud800"`,
  String.raw`"\u0000\u001b]0;x\u0007"`,
];

/** Python expressions for large or deeply nested JSON. */
const LARGE = [
  `'[' * 200 + ']' * 200`,
  `'[' * 6000 + ']' * 6000`,
  `'[' * 100000 + ']' * 100000`,
  `'{"a":' * 3000 + '1' + '}' * 3000`,
  `'{"a":' * 100000 + '1' + '}' * 100000`,
  `'[' + ','.join(['0'] * 200000) + ']'`,
  `'{' + ','.join('"k%d": 0' % i for i in range(50000)) + '}'`,
  `json.dumps('x' * 1000000)`,
  `json.dumps('>' * 20000)`,
  `json.dumps('<div>' * 20000)`,
  `json.dumps('(' * 20000)`,
];

const MIMES = ['text/plain', 'text/html', 'text/markdown', 'image/png', 'image/svg+xml', 'application/json'];

/** Malformed displays, as statements to run after `RAW_EVENTS`. */
export function hostileDisplays(): readonly string[] {
  const python = (value: string) => JSON.stringify(value);
  return [
    ...BAD_MIMES.flatMap((mime) => [`form(${python(mime)})`, `form(${python(mime)}, '[[["x"]]]')`]),
    ...CONTENTS.flatMap((content) => MIMES.slice(1).map((mime) => `form(${python(mime)}, ${python(content)})`)),
    ...LARGE.flatMap((content) => MIMES.slice(1, 4).map((mime) => `form(${python(mime)}, ${content})`)),
    ...LARGE.map((content) => `form('application/json', ${content})`),
    ...LARGE.map((content) => `form('application/json', ${content}, kind='result')`),
    `show('{}')`,
    `show('{}', kind='result')`,
    `show('{' + ','.join('"a/%d": 0' % i for i in range(50000)) + '}')`,
    `form('a/' + 'x' * 1000000)`,
    `form('x', id='"bad"'); form('text/plain', id='"bad"', kind='update')`,
    `form('text/plain', id='"good"'); form('x', id='"good"', kind='update')`,
    `form('text/plain', id='"deep"'); form('application/json', '[' * 9000 + ']' * 9000, id='"deep"', kind='update')`,
    `form('text/plain', id='""'); form('text/plain', id='""', kind='update')`,
    `form('text/plain', id='"__proto__"', kind='update')`,
    `form('text/plain', id=json.dumps('i' * 1000000), kind='update')`,
    `raw('"type": "clear", "wait": true'); form('x')`,
    `form('x'); raw('"type": "clear", "wait": false'); form('y')`,
    `raw('"type": "error", "name": "", "message": "", "traceback": ""')`,
    `raw('"type": "error", "name": "x", "message": %s, "traceback": %s' % (json.dumps('m' * 500000), json.dumps('\\x1b[31m' * 50000)))`,
    `raw('"type": "display"')`,
    `raw('"type": "display", "id": 1, "data": 1')`,
    `raw('"type": "nothing"')`,
    `raw('[' * 1000000)`,
  ];
}
