import { describe, expect, it } from 'vitest';
import { httpGuard, isLoopback } from '../../../src/relay/surfaces/http-guard.ts';

const passes = (guard: ReturnType<typeof httpGuard>, host: string | undefined, origin?: string) => {
  try {
    guard.check({ host, origin });
    return true;
  } catch {
    return false;
  }
};

describe('Host and Origin', () => {
  const local = httpGuard(true);
  it.each([
    ['127.0.0.1:7717', undefined, true],
    ['localhost', undefined, true],
    ['[::1]:7717', undefined, true],
    [undefined, undefined, false],
    ['', undefined, false],
    ['10.0.0.1', undefined, false],
    ['localhost.evil.example', undefined, false],
    ['user@localhost', undefined, true],
    ['localhost:7717', 'http://localhost:3000', true],
    ['localhost:7717', 'https://evil.example', false],
    ['localhost:7717', 'null', false],
    ['localhost:7717', '', false],
    ['localhost:7717', 'file://', false],
    ['evil.example', 'http://evil.example', false],
  ])('on loopback %s with origin %s: %s', (host, origin, expected) => {
    expect(passes(local, host, origin)).toBe(expected);
  });

  it('knows loopback addresses', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.8.8', '::1']) expect(isLoopback(host), host).toBe(true);
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.evil.example', 'relay']) {
      expect(isLoopback(host), host).toBe(false);
    }
  });
});
