/** Sites for the rules about security. */
import type { Fixture, Fixtures } from "./fixture.ts";
import { page } from "./healthy-page.ts";

const good = page();
/** The start page with this header (or without it), and a healthy one. */
const header = (name: string, value: string | null, other?: string): Fixture => ({
  fires: { body: good, headers: { [name]: value } },
  silent: other === undefined ? good : { body: good, headers: { [name]: other } },
});
const link = '<a href="{http}/plain">A page without encryption</a>';
const form = (action: string): string => page({ body: `<form action="${action}"><input name="q"></form>` });

const DAY = Date.parse("2026-01-01");

export const SECURITY_FIXTURES: Fixtures = {
  "sec.http_page": {
    at: "{http}/plain",
    fires: { "/": page({ body: link }), "http/plain": good },
    silent: good,
  },
  "sec.mixed_content": {
    fires: page({ body: '<img src="{http}/icon.png" alt="An icon">' }),
    silent: page({ body: '<img src="/icon.png" alt="An icon">' }),
  },
  "sec.form_http_action": { fires: form("{http}/send"), silent: form("/send") },
  "sec.form_on_http": {
    at: "{http}/plain",
    fires: { "/": page({ body: link }), "http/plain": form("/send") },
    silent: form("/send"),
  },
  "sec.hsts_missing": header("strict-transport-security", "max-age=60"),
  "sec.csp_missing": header("content-security-policy", null),
  "sec.xcto_missing": header("x-content-type-options", null),
  "sec.xfo_missing": {
    fires: { body: good, headers: { "x-frame-options": null, "content-security-policy": "default-src 'self'" } },
    silent: { body: good, headers: { "x-frame-options": null } },
  },
  "sec.referrer_policy": header("referrer-policy", "unsafe-url"),
  "sec.cookie_flags": header("set-cookie", "session=secret; Secure", "session=secret; Secure; HttpOnly; SameSite=Lax"),
  "sec.cors_wildcard_credentials": {
    fires: { body: good, headers: { "access-control-allow-origin": "*", "access-control-allow-credentials": "true" } },
    silent: { body: good, headers: { "access-control-allow-origin": "*" } },
  },
  "sec.server_leak": header("server", "nginx/1.25.3", "nginx"),
  "sec.cert_expiring": {
    fires: good,
    silent: good,
    facts: {
      fires: { certificate_until: "2026-01-20", fetched_at: DAY },
      silent: { certificate_until: "2026-06-20", fetched_at: DAY },
    },
  },
  "sec.tls_old": {
    fires: good,
    silent: good,
    facts: { fires: { tls_version: "TLSv1.3" }, silent: { tls_version: "TLSv1.3" } },
    sql: `INSERT INTO notes (key, value) SELECT 'old-tls:' || rtrim(url, '/'), '{"isAccepted":true}' FROM urls WHERE id = ?`,
  },
};
