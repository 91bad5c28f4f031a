/** Settings without the secrets among them, for screens, logs and agents; and back again. */
import type { SiteConfig } from "./site-config.ts";

const HIDDEN = "…";

/** Passwords do not belong on a screen that somebody may share, nor in a script's log. */
export function withoutSecrets(values: Partial<SiteConfig>): Partial<SiteConfig> {
  const { auth, headers, proxy } = values;
  const shown = { ...values };
  if (auth) shown.auth = HIDDEN;
  if (headers) shown.headers = Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));
  if (proxy) shown.proxy = proxy.replace(/\/\/[^/]*@/, `//${HIDDEN}@`);
  return shown;
}

/** Takes hidden values for what they hide in `known`: a form sends back what it was shown. */
export function withSecrets(given: Record<string, unknown>, known: Partial<SiteConfig>): Record<string, unknown> {
  const shown = withoutSecrets(known);
  const meant = { ...given };
  for (const name of ["auth", "proxy"] as const) {
    if (name in given && given[name] === shown[name]) meant[name] = known[name];
  }
  const { headers } = given;
  if (headers === null || typeof headers !== "object") return meant;
  meant["headers"] = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === HIDDEN ? (known.headers?.[name] ?? value) : value]),
  );
  return meant;
}
