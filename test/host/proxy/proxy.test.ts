import { describe, expect, it } from 'vitest';
import { parseHost } from '../../../src/engine/network/hostPattern.ts';
import { DecisionLog } from '../../../src/host/proxy/decisions.ts';
import { proxyFiles, proxyVariables } from '../../../src/host/proxy/rules.ts';

const NETWORK = { proxyImage: 'p', hosts: [], upstream: null, certificates: '' };

describe('the rules of a proxy', () => {
  it('deny everything without hosts', () => {
    expect(proxyFiles(NETWORK)['rules.conf']).toBe('http_access deny all because_host\n');
  });

  it('check names before addresses, so that no other name is looked up', () => {
    const rules = proxyFiles({ ...NETWORK, hosts: [parseHost('a.org', false)] })['rules.conf']?.split('\n') ?? [];
    const at = (text: string) => rules.findIndex((rule) => rule.startsWith(text));
    expect(at('http_access deny !named')).toBeGreaterThan(0);
    expect(at('http_access deny !named')).toBeLessThan(at('http_access deny reserved'));
    expect(at('http_access deny private')).toBeLessThan(at('http_access allow'));
    expect(rules.filter((rule) => rule.startsWith('http_access allow'))).toEqual(['http_access allow placed']);
  });

  it('open routes to private hosts and an upstream proxy only', () => {
    const upstream = { host: 'proxy.test', port: 3128, login: '', except: ['corp.test'] };
    const hosts = [parseHost('a.org', false), parseHost('b.org', true), parseHost('*.c.org', true)];
    const files = proxyFiles({ ...NETWORK, hosts, upstream });
    expect(files['private-hosts']).toBe('b.org\nproxy.test\n');
    expect(files['rules.conf']).toContain('never_direct allow all');
    expect(files['rules.conf']).toContain('always_direct allow without_upstream');
  });

  it('name the certificates only where there are any', () => {
    expect(proxyVariables(NETWORK)).not.toHaveProperty('SSL_CERT_FILE');
    expect(proxyVariables({ ...NETWORK, certificates: 'PEM' })).toMatchObject({
      SSL_CERT_FILE: '/run/hothouse/certificates.pem',
      https_proxy: 'http://127.0.0.1:3128',
    });
  });
});

describe('the decisions of a proxy', () => {
  it('are counted for each host, port and reason, the latest first', () => {
    const log = new DecisionLog();
    log.addLine('1795374073.205 TCP_TUNNEL 200 CONNECT a.org 443 -');
    log.addLine('1795374074.205 TCP_DENIED 403 CONNECT b.org 443 host');
    log.addLine('1795374075.205 TCP_TUNNEL 200 CONNECT a.org 443 -');
    expect(log.entries()).toEqual([
      { host: 'a.org', port: 443, denied: null, count: 2, lastAt: 1_795_374_075_000 },
      { host: 'b.org', port: 443, denied: 'host', count: 1, lastAt: 1_795_374_074_000 },
    ]);
  });

  it('ignore what is no decision, and keep 100 hosts', () => {
    const log = new DecisionLog();
    for (const line of [
      '',
      'x',
      '1795374068.035 NONE_NONE 000 - - - -',
      `1795374068.035 A 200 GET ${'a'.repeat(300)} 1 -`,
    ])
      log.addLine(line);
    expect(log.entries()).toEqual([]);
    for (let number = 0; number < 150; number += 1) log.addLine(`1795374068.035 TCP_DENIED 403 GET h${number} 80 host`);
    expect(log.entries()).toHaveLength(100);
    expect(log.entries()[0]?.host).toBe('h149');
  });
});
