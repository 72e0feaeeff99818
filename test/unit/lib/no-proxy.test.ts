import { expect, it } from 'vitest';
import { isLoopback, proxyFor } from '../../../src/lib/proxy-rules.ts';

const P = 'http://proxy.test:3128';
const direct = (url: string, noProxy: string) =>
  proxyFor(new URL(url), { HTTPS_PROXY: P, HTTP_PROXY: P, NO_PROXY: noProxy }) === undefined;

it.each([
  ['https://relay.test', 'relay.test:443', true],
  ['http://relay.test', 'relay.test:80', true],
  ['https://relay.test', 'relay.test:80', false],
  ['https://relay.test', 'RELAY.test', true],
  ['https://[fd00::5]:8443', 'fd00::5', true],
  ['https://[fd00::5]:8443', '[fd00::5]', true],
  ['https://[fd00::5]:8443', '[fd00::5]:8443', true],
  ['https://[fd00::5]:8443', '[fd00::5]:443', false],
  ['https://[fd00::5]:8443', 'fd00::6', false],
  ['https://10.1.2.3', '10.1.2.3', true],
  ['https://relay.test', ' , ,:443', false],
])('%s with NO_PROXY %j: direct %s', (url, list, wanted) => {
  expect(direct(url, list)).toBe(wanted);
});

it.each([
  'http://localhost.',
  'http://a.localhost',
  'http://0.0.0.0:7717',
  'http://[::]:7717',
  'http://[::ffff:127.0.0.1]:7717',
  'http://127.1',
  'http://2130706433',
])('%s stays on this machine', url => {
  expect(proxyFor(new URL(url), { HTTP_PROXY: P })).toBeUndefined();
});

it.each(['localhost.test', 'mylocalhost', '128.0.0.1', '::ffff:10.0.0.1', '1127.0.0.1'])('%s is no loopback', host => {
  expect(isLoopback(host)).toBe(false);
});
