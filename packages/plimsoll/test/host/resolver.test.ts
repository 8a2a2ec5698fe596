import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseHostsLine, parseResolvConf } from '#plimsoll/host/resolver.js';

test('a Kubernetes pod, a local stub, and comments', () => {
  assert.deepEqual(parseResolvConf('search a.svc b.local\nnameserver 10.0.0.10\noptions ndots:5\n'), {
    nameservers: 1,
    isLocal: false,
    searchDomains: 2,
    options: 'ndots:5',
  });
  assert.deepEqual(
    parseResolvConf('# nameserver 8.8.8.8\n nameserver 127.0.0.53\noptions edns0 trust-ad\nsearch .\n'),
    {
      nameservers: 1,
      isLocal: true,
      searchDomains: 1,
      options: 'edns0 trust-ad',
    },
  );
  assert.deepEqual(parseResolvConf(''), { nameservers: 0, isLocal: false, searchDomains: 0, options: '' });
  assert.equal(parseResolvConf('nameserver 127.0.0.1\nnameserver 9.9.9.9\n').isLocal, false);
});

test('the hosts line of nsswitch.conf', () => {
  assert.equal(
    parseHostsLine('hosts:\tfiles  mdns4_minimal [NOTFOUND=return] dns\n'),
    'files mdns4_minimal [NOTFOUND=return] dns',
  );
  assert.equal(parseHostsLine('passwd: files\nhosts: # nothing\n'), null);
});

test('no text makes the parsers throw, and no address or domain comes out', () => {
  const odd = fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.domain());
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('nameserver', 'search', 'options', 'x'), odd)), (lines) => {
      const text = lines.map((line) => line.join(' ')).join('\n');
      const { options } = parseResolvConf(text);
      assert.match(options ?? '', /^([a-z][a-z0-9-]*(:\d+)?( |$))*$/);
      parseHostsLine(text);
    }),
  );
});
