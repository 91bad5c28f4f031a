/** Hides the secrets in settings, for screens, logs and agents, and restores them. */
import { TrawlError } from "../../errors.ts";
import type { SiteConfig } from "../site-config.ts";

export const HIDDEN = "…";

/** Headers without secrets: every host of the site gets them. All others count as secrets. */
const PLAIN_HEADER = /^(?:accept(?:-charset|-language)?|cache-control|dnt|from|pragma|referer|save-data|user-agent)$/i;

type Headers = Record<string, string>;

export const plainHeaders = (headers: Headers): Headers => pickHeaders(headers, true);

export const secretHeadersOf = (headers: Headers): Headers => pickHeaders(headers, false);

const pickHeaders = (headers: Headers, plain: boolean): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => PLAIN_HEADER.test(name) === plain));

/** Settings as they are saved: those that apply to any origin of a host, and those that belong to one origin. */
export interface SplitSettings {
  plain: Partial<SiteConfig>;
  secret: Pick<Partial<SiteConfig>, "auth" | "headers" | "credentialOrigins">;
}

/** The password of a proxy is sent to that proxy only, so it does not belong to an origin. */
export function splitSecrets({ auth, headers = {}, credentialOrigins, ...plain }: Partial<SiteConfig>): SplitSettings {
  const [open, hidden] = [plainHeaders(headers), secretHeadersOf(headers)];
  return {
    plain: { ...plain, ...(isEmpty(open) ? {} : { headers: open }) },
    secret: {
      ...(auth ? { auth } : {}),
      ...(isEmpty(hidden) ? {} : { headers: hidden }),
      ...(credentialOrigins?.length ? { credentialOrigins } : {}),
    },
  };
}

export function joinSecrets({ plain, secret }: SplitSettings): Partial<SiteConfig> {
  const headers = { ...plain.headers, ...secret.headers };
  return { ...plain, ...secret, ...(isEmpty(headers) ? {} : { headers }) };
}

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

/** Passwords must not appear on a shared screen or in a script's log. */
export function withoutSecrets(values: Partial<SiteConfig>): Partial<SiteConfig> {
  const { auth, headers, proxy } = values;
  const shown = { ...values };
  if (auth) shown.auth = HIDDEN;
  if (headers) shown.headers = Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));
  if (proxy) shown.proxy = proxy.replace(/\/\/[^/]*@/, `//${HIDDEN}@`);
  return shown;
}

/** Replaces hidden values with those in `known`, because a form sends back what it was shown. */
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

/** Whether any secret in the settings is a known one: given back hidden, or left as it was. */
export function usesSecrets(config: Partial<SiteConfig>, known: Partial<SiteConfig>): boolean {
  const { auth, headers = {} } = splitSecrets(known).secret;
  const isSame = ([name, value]: [string, string]) => config.headers?.[name] === value;
  return (auth !== undefined && auth === config.auth) || Object.entries(headers).some(isSame);
}

/**
 * Secrets that nobody has just typed are sent only where they were sent before: sending them elsewhere requires knowing
 * them.
 */
export function checkOrigins(config: SiteConfig, known: Partial<SiteConfig>, startUrls: readonly string[]): void {
  if (!usesSecrets(config, known)) return;
  const origins = (urls: readonly string[]) => urls.map((url) => new URL(url).origin);
  const before = origins(known.credentialOrigins?.length ? known.credentialOrigins : startUrls);
  const added = origins(config.credentialOrigins).filter((origin) => !before.includes(origin));
  if (added.length === 0) return;
  throw new TrawlError(
    "BAD_CONFIG",
    `credentialOrigins: the stored password and headers are for ${before.join(", ")}; give them again to send them to ${added.join(", ")}.`,
  );
}
