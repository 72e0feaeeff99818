import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { relayFailures } from '../../messages-relay.ts';

/** Which Host and Origin headers a relay answers. */
export interface HttpGuard {
  /** Throws `forbidden`. Both checks stand alone: an alien Origin is refused whatever the Host says. */
  check(headers: { readonly host?: string | undefined; readonly origin?: string | undefined }): void;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Against DNS rebinding: a page of some other site can make a browser call us by a name of its own, but not by an
 * address literal. On loopback only loopback names are served; on other binds any address literal, this machine's
 * name, and the names listed.
 */
export function httpGuard(loopback: boolean, allowedHosts: readonly string[] = []): HttpGuard {
  const allowed = new Set([...LOOPBACK, ...allowedHosts.map(host => host.toLowerCase())]);
  if (!loopback) allowed.add(hostname().toLowerCase());
  const serves = (host: string) => allowed.has(host) || (!loopback && isIP(host.replace(/^\[|\]$/g, '')) !== 0);
  return {
    check({ host, origin }) {
      const name = hostnameOf(`http://${host ?? ''}`);
      if (name === undefined || !serves(name)) throw relayFailures.badHost((host ?? '').slice(0, 80));
      if (origin === undefined) return;
      const from = hostnameOf(origin);
      // Same host, or a page that this machine serves to itself; `null` (files, sandboxes) is neither.
      if (from === undefined || (from !== name && !LOOPBACK.has(from))) throw relayFailures.badOrigin();
    },
  };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function hostnameOf(url: string): string | undefined {
  try {
    return new URL(url).hostname.toLowerCase() || undefined;
  } catch {
    return undefined;
  }
}
