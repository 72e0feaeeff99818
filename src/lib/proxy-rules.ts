type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL by the usual variables, lower case first. Loopback never goes through a proxy: a token for the
 * local relay must not leave the machine.
 *
 * @returns the proxy's URL, or undefined for a direct connection
 */
export function proxyFor(url: URL, env: Env): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isLoopback(host)) return undefined;
  const pick = (name: string) => env[name.toLowerCase()] || env[name];
  const proxy = pick(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') || pick('ALL_PROXY');
  if (!proxy || excluded(host, url.port, pick('NO_PROXY') ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** NO_PROXY: comma or space separated; `*`, `host`, `.suffix`, `*.suffix`, each with an optional port. */
function excluded(host: string, port: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .some(entry => {
      if (entry === '*') return true;
      const [, name = '', wanted] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (wanted !== undefined && wanted !== port) return false;
      const suffix = name.replace(/^\*?\./, '');
      return host === suffix || host.endsWith(`.${suffix}`);
    });
}
