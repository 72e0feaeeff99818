import { expect, it } from 'vitest';
import { proxyFor } from '../../../src/lib/proxy-rules.ts';

const P = 'http://proxy.test:3128';
it.each([
  ['https by HTTPS_PROXY', 'https://relay.test', { HTTPS_PROXY: P }, P],
  ['lower case wins', 'https://relay.test', { https_proxy: P, HTTPS_PROXY: 'http://other.test' }, P],
  ['http by HTTP_PROXY', 'http://relay.test', { HTTP_PROXY: P, HTTPS_PROXY: 'http://other.test' }, P],
  ['ALL_PROXY for both', 'https://relay.test', { ALL_PROXY: P }, P],
  ['a proxy without a scheme', 'https://relay.test', { HTTPS_PROXY: 'proxy.test:3128' }, P],
  ['none', 'https://relay.test', { HTTP_PROXY: P }, undefined],
  ['NO_PROXY host', 'https://relay.test', { HTTPS_PROXY: P, NO_PROXY: 'x.test, relay.test' }, undefined],
  ['NO_PROXY suffix', 'https://a.relay.test', { HTTPS_PROXY: P, no_proxy: '.relay.test' }, undefined],
  ['NO_PROXY star suffix', 'https://a.relay.test', { HTTPS_PROXY: P, NO_PROXY: '*.relay.test' }, undefined],
  ['NO_PROXY star', 'https://relay.test', { HTTPS_PROXY: P, NO_PROXY: '*' }, undefined],
  ['NO_PROXY of another port', 'https://relay.test:8443', { HTTPS_PROXY: P, NO_PROXY: 'relay.test:443' }, P],
  ['NO_PROXY of this port', 'https://relay.test:8443', { HTTPS_PROXY: P, NO_PROXY: 'relay.test:8443' }, undefined],
  ['NO_PROXY of a name that only ends alike', 'https://myrelay.test', { HTTPS_PROXY: P, NO_PROXY: 'relay.test' }, P],
  ['loopback', 'http://127.0.0.1:7717', { HTTP_PROXY: P, ALL_PROXY: P }, undefined],
  ['all of 127/8', 'http://127.9.9.9', { HTTP_PROXY: P }, undefined],
  ['localhost', 'http://localhost:7717', { HTTP_PROXY: P }, undefined],
  ['::1', 'http://[::1]:7717', { HTTP_PROXY: P }, undefined],
  ['a name that looks like loopback', 'http://127.0.0.1.evil.test', { HTTP_PROXY: P }, P],
])('%s', (_, url, env, wanted) => {
  expect(proxyFor(new URL(url), env)).toBe(wanted);
});
