/** Code that writes events past its driver, with the driver's own token. */
export const FORGE = `
import os, sys
driver = sys.modules["hothouse_agent.interpreter"]._interpreter
events, token = driver._sequencer._order[2], driver._token
def write(data):
    view = memoryview(data)
    while view: view = view[os.write(events, view):]
def event(kind, fields): return '\\n{"type": "%s", "token": "%s", %s}\\n' % (kind, token, fields)
def flood(text, megabytes=14): write((text * max(1, (megabytes << 20) // len(text))).encode())
`;

/** Floods of events that `FORGE` can write, by name. */
export const FLOODS = {
  'tiny displays': `flood(event("display", '"data": {"text/plain": "x"}, "id": "a"'))`,
  'tiny updates of many displays': `
flood("".join(event("display", '"data": {"text/plain": "x"}, "id": "a"') for _ in range(1000)), 1)
flood(event("update", '"data": {"text/plain": "y"}, "id": "a"'))`,
  'displays with ids of their own': `
write("".join(event("display", '"data": {"text/plain": "x"}, "id": "%d"' % n) for n in range(100_000)).encode())`,
  results: `flood(event("result", '"data": {"text/plain": "x"}'))`,
  clears: `flood(event("clear", '"wait": false'))`,
  errors: `flood(event("error", '"name": "E", "message": "x", "traceback": "%s"' % ("x" * 1000)))`,
  'words that are no JSON': `flood("{nothing\\n")`,
  'empty lines': `flood("\\n")`,
  'three million levels in a display': `
write(event("display", '"data": {"application/json": %s%s}, "id": null' % ("[" * 3_000_000, "]" * 3_000_000)).encode())`,
  'three million levels in a result': `
write(event("result", '"data": {"application/json": %s%s}' % ("[" * 3_000_000, "]" * 3_000_000)).encode())`,
  'three million levels in the state': `
write(event("state", '"state": {"x": %s%s}' % ("[" * 3_000_000, "]" * 3_000_000)).encode())`,
  'three million values': `
write(event("display", '"data": {"application/json": [%s0]}, "id": null' % ("0," * 3_000_000)).encode())`,
  'half a million keys': `
keys = ",".join('"k%d": 0' % n for n in range(500_000))
write(event("display", '"data": {"application/json": {%s}}, "id": null' % keys).encode())`,
  'halves of surrogate pairs': `
write(event("display", '"data": {"text/plain": "%s"}, "id": null' % ("\\\\ud83d" * 1_000_000)).encode())`,
  'quotes and escapes': `
write(event("display", '"data": {"text/plain": "%s"}, "id": null' % ('\\\\"' * 3_000_000)).encode())`,
  'text beyond ASCII': `
write(event("display", '"data": {"text/plain": "%s"}, "id": null' % ("é" * 3_000_000)).encode())`,
  'a hundred thousand mime types': `
types = ",".join('"text/x%d": "x"' % n for n in range(90_000))
write(event("display", '"data": {%s}, "id": null' % types).encode())`,
  'a display of fifteen megabytes': `
write(event("display", '"data": {"text/plain": "%s"}, "id": null' % ("x" * 15_000_000)).encode())`,
  'a display as large as it may be': `
write(event("display", '"data": {"text/plain": "%s"}, "id": null' % ("x" * 6_200_000)).encode())`,
  'a state of long keys with halves of pairs': `
keys = ",".join('"%d%s\\\\ud800": 0' % (n, "k" * 270) for n in range(49_000))
write(event("state", '"state": {%s}, "leftOut": []' % keys).encode())`,
  'a state of keys with pairs of surrogates': `
keys = ",".join('"%d%s": "\\\\u001b[3"' % (n, "\\\\ud83d\\\\ude00" * 18) for n in range(24_000))
write(event("state", '"state": {%s}, "leftOut": []' % keys).encode())`,
  'a state of many keys': `
keys = ",".join('"%d%s": 0' % (n, "k" * 120) for n in range(33_000))
write(event("state", '"state": {%s}, "leftOut": []' % keys).encode())`,
  'a line as long as a frame': `
write(event("display", '"data": {"text/plain": "%s"}, "id": null' % ("x" * ((16 << 20) - 90))).encode())`,
  'single bytes on both streams': `
for _ in range(100_000): os.write(1, b"o"), os.write(2, b"e")`,
  'all of it at once': `
for _ in range(3):
    flood(event("display", '"data": {"text/plain": "x"}, "id": "a"'), 2)
    flood(event("update", '"data": {"text/plain": "x"}, "id": "a"'), 2)
    write(event("display", '"data": {"application/json": %s%s}, "id": null' % ("[" * 500_000, "]" * 500_000)).encode())
    os.write(1, b"o" * 100_000)`,
};
