/** Settings without the secrets among them, for screens, logs and agents; and back again. */
import type { SiteConfig } from "./site-config.ts";

const HIDDEN = "…";

/** Headers that ask for something and prove nothing: every host of the site may see them. All others are taken for secrets. */
const PLAIN_HEADER = /^(?:accept(?:-charset|-language)?|cache-control|dnt|from|pragma|referer|save-data|user-agent)$/i;

type Headers = Record<string, string>;

export const plainHeaders = (headers: Headers): Headers => pickHeaders(headers, true);

export const secretHeadersOf = (headers: Headers): Headers => pickHeaders(headers, false);

const pickHeaders = (headers: Headers, plain: boolean): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => PLAIN_HEADER.test(name) === plain));

/** Settings as they are saved: what any origin of a host may be crawled with, and what belongs to one origin. */
export interface SplitSettings {
  plain: Partial<SiteConfig>;
  secret: Pick<Partial<SiteConfig>, "auth" | "headers" | "credentialOrigins">;
}

/** The password of a proxy is sent to that proxy only, so it is no origin's secret. */
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
