/** Lists of hosts as people write them: `example.com` is that host, `*.example.com` every subdomain of it, at any depth. */

/** Matches every host. */
export const ANY_HOST = "*";

export function hostMatcher(hosts: readonly string[]): (host: string) => boolean {
  if (hosts.includes(ANY_HOST)) return () => true;
  const whole = new Set(hosts.filter((host) => !host.startsWith("*.")));
  const suffixes = hosts.filter((host) => host.startsWith("*.")).map((host) => host.slice(1));
  if (suffixes.length === 0) return (host) => whole.has(host);
  return (host) => whole.has(host) || suffixes.some((suffix) => host.endsWith(suffix) && host.length > suffix.length);
}

/** In the form of a canonical URL: lower case, punycode, and without the default port of https. */
export function normalHost(written: string): string {
  const wildcard = written.startsWith("*.") ? "*." : "";
  const host = URL.parse(`https://${written.slice(wildcard.length)}/`)?.host;
  return wildcard + (host ?? written.slice(wildcard.length).toLowerCase());
}
