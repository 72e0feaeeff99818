type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL by the usual variables, lower case first. Loopback never goes through a proxy: a token for the
 * local relay must not leave the machine.
 *
 * @returns the proxy's URL, or undefined for a direct connection
 */
export function proxyFor(url: URL, env: Env): string | undefined {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (isLoopback(host)) return undefined;
  const pick = (name: string) => env[name.toLowerCase()] || env[name];
  const proxy = pick(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') || pick('ALL_PROXY');
  if (!proxy || excluded(host, url.port || (url.protocol === 'https:' ? '443' : '80'), pick('NO_PROXY') ?? ''))
    return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

/** @param host as URL writes it, without brackets: 127.1 is 127.0.0.1 by then, and mapped IPv4 is in hexadecimal */
export function isLoopback(host: string): boolean {
  // An unspecified address connects to this machine, too.
  return /^(localhost|.+\.localhost|::1?|0\.0\.0\.0|127(\.\d{1,3}){3}|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})$/.test(host);
}

/**
 * NO_PROXY: comma or space separated; `*`, `host`, `.suffix`, `*.suffix`, each with an optional port; an IPv6 address
 * with a port stands in brackets.
 */
function excluded(host: string, port: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .some(entry => {
      if (entry === '*') return true;
      // Two colons outside brackets are an address, not a port.
      const [, name = '', wanted] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (wanted !== undefined && wanted !== port) return false;
      const suffix = name.replace(/^\*?\.|^\[|\]$/g, '');
      return host === suffix || host.endsWith(`.${suffix}`);
    });
}
