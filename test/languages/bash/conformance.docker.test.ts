import { describe } from 'vitest';
import { conformanceSuite } from '../conformance.ts';

describe('Bash', () => {
  conformanceSuite({
    language: 'bash',
    print: 'echo out\necho err >&2',
    failing: { code: 'true\ntrue\nfalse', name: 'ExitStatus', text: /Line 3/ },
    broken: { code: 'echo "never\nended', name: 'SyntaxError' },
    echo: 'cat',
    busy: 'echo on\nwhile :; do :; done',
    waiting: 'echo on\nsleep 3600',
    flood: 'head -c 2000000 /dev/zero | tr "\\0" x',
    exit: 'exit 3\necho after',
    bomb: 'x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done',
    set: 'kept=10',
    get: 'echo "$kept"',
    state: { code: 'n=$((n + 1))', n: '2' },
    define: 'answer() { echo 42; }',
    call: 'answer',
    leave: 'touch /workspace/mark.txt /tmp/mark.txt\nsetsid sleep 3600 >/dev/null 2>&1 &',
    look: `found=$(cat /proc/[0-9]*/comm | grep -x sleep)
[[ ! -e /workspace/mark.txt && ! -e /tmp/mark.txt && -z $found ]] && echo clean || echo "dirty $found"`,
    completion: { code: 'echo $kep', match: '$kept' },
  });
});
