/** Rules about security. */
import { ruleGroup } from "../rule.ts";

/** Resources that a page loads. */
const LOADED = ["image", "script", "stylesheet", "font", "media", "iframe", "object"] as const;
const PLAIN = "url LIKE 'http://%'";
/**
 * What this machine serves does not cross a network, so browsers trust it without encryption, and a site can pass its
 * tests before it is published.
 */
const LOCAL = "host REGEXP '^(localhost|.*\\.localhost|127\\.[0-9.]+|\\[::1\\])(:[0-9]+)?$'";
const HTTPS = "url LIKE 'https://%'";

export const SECURITY_RULES = ruleGroup(
  "Security",
  "https://developer.mozilla.org/en-US/docs/Web/Security/Practical_implementation_guides",
  {
    "sec.http_page": {
      name: "Page without encryption",
      ...{ severity: "error", priority: "high", on: "page" },
      when: `${PLAIN} AND NOT (${LOCAL})`,
      why: "Browsers mark it as not secure, and anyone on the network can read and change it.",
      fix: "Serve it over https, and redirect http to it.",
    },
    "sec.mixed_content": {
      name: "Encrypted page loads something over http",
      ...{ severity: "error", priority: "high", on: "page" },
      key: "evidence",
      when: HTTPS,
      links: { types: LOADED, target: PLAIN },
      why: "Browsers block it, or show the page as not secure.",
      fix: "Load it over https.",
      link: "https://developer.mozilla.org/en-US/docs/Web/Security/Mixed_content",
    },
    "sec.form_http_action": {
      name: "Form sends data without encryption",
      ...{ severity: "error", priority: "high", on: "page" },
      key: "evidence",
      when: HTTPS,
      links: { types: ["form"], target: PLAIN },
      why: "Anyone on the network can read what people type; browsers warn them.",
      fix: "Send the form to an https address.",
    },
    "sec.form_on_http": {
      name: "Form on a page without encryption",
      ...{ severity: "error", priority: "high", on: "page" },
      when: `${PLAIN} AND NOT (${LOCAL})`,
      links: { types: ["form"] },
      why: "Anyone on the network can change the form and read what people type.",
      fix: "Serve the page over https.",
    },
    "sec.hsts_missing": {
      name: "HSTS missing or weak",
      ...{ severity: "warning", priority: "low", on: "page" },
      thresholds: { hstsMinSeconds: 15_552_000 },
      when: `${HTTPS} AND max_age(hsts) < $hstsMinSeconds`,
      evidence: "coalesce(hsts, 'no Strict-Transport-Security header')",
      why: "The first request of a visit may still go over http.",
      fix: "Send Strict-Transport-Security: max-age=31536000; includeSubDomains.",
      link: "https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Strict-Transport-Security",
    },
    "sec.csp_missing": {
      name: "No content security policy",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: "csp IS NULL",
      why: "If somebody manages to inject a script into the page, nothing stops it.",
      fix: "Send Content-Security-Policy; begin with Content-Security-Policy-Report-Only.",
      link: "https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CSP",
    },
    "sec.xcto_missing": {
      name: "X-Content-Type-Options missing",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: "lower(trim(coalesce(content_type_options, ''))) <> 'nosniff'",
      evidence: "content_type_options",
      why: "Browsers may run a file as a script even if it is sent as something else.",
      fix: "Send X-Content-Type-Options: nosniff.",
      link: "https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Content-Type-Options",
    },
    "sec.xfo_missing": {
      name: "No protection against framing",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: "NOT (coalesce(frame_options, '') REGEXP '^\\s*(deny|sameorigin)') AND coalesce(csp, '') NOT LIKE '%frame-ancestors%'",
      evidence: "frame_options",
      why: "Other sites can show the page in a frame and trick people into clicking.",
      fix: "Send X-Frame-Options: SAMEORIGIN, or frame-ancestors in Content-Security-Policy.",
      link: "https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Frame-Options",
    },
    "sec.referrer_policy": {
      name: "Referrer-Policy missing or unsafe",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: "referrer_policy IS NULL OR lower(trim(referrer_policy)) IN ('unsafe-url', 'no-referrer-when-downgrade', 'origin-when-cross-origin', '')",
      evidence: "coalesce(referrer_policy, 'no Referrer-Policy header')",
      why: "Other sites may learn the addresses that your visitors come from.",
      fix: "Send Referrer-Policy: strict-origin-when-cross-origin.",
      link: "https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Referrer-Policy",
    },
    "sec.cookie_flags": {
      name: "Cookie without Secure, HttpOnly or SameSite",
      ...{ severity: "warning", priority: "low", on: "page" },
      key: "evidence",
      when: "cookies IS NOT NULL AND weak_cookies(cookies) IS NOT NULL",
      evidence: "weak_cookies(cookies)",
      why: "Scripts, other sites or people on the network may get hold of it.",
      fix: "Set Secure, HttpOnly and SameSite on cookies.",
      link: "https://developer.mozilla.org/en-US/docs/Web/Security/Practical_implementation_guides/Cookies",
    },
    "sec.cors_wildcard_credentials": {
      name: "CORS allows any origin, with credentials",
      ...{ severity: "error", priority: "high", on: "fetched" },
      when: "trim(cors_origin) = '*' AND lower(trim(cors_credentials)) = 'true'",
      evidence: "'Access-Control-Allow-Origin: * with credentials'",
      why: "Browsers refuse this combination; it shows that access for other sites was not thought through.",
      fix: "Name the origins that may read the answer.",
      link: "https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CORS",
    },
    "sec.server_leak": {
      name: "Server reveals its version",
      ...{ severity: "notice", priority: "low", on: "page" },
      when: "coalesce(server, '') REGEXP '[0-9]+\\.[0-9]+' OR powered_by IS NOT NULL",
      evidence: "trim(coalesce(server, '') || ' ' || coalesce(powered_by, ''))",
      why: "Attackers search for versions with known vulnerabilities.",
      fix: "Remove the version from Server, and X-Powered-By altogether.",
    },
    "sec.cert_expiring": {
      name: "Certificate expired, or about to",
      ...{ severity: "error", priority: "high", phase: "site", on: "host" },
      thresholds: { certificateDays: 30 },
      when: `julianday(certificate_until) < julianday(fetched_at) + $certificateDays
        OR error = 'tls_failed' AND error_detail LIKE '%expired%'`,
      evidence: "iif(certificate_until IS NULL, 'expired', 'valid until ' || certificate_until)",
      why: "Once it has expired, browsers show a warning instead of the site, and crawlers get nothing.",
      fix: "Renew the certificate, and set up automatic renewal.",
      link: "https://letsencrypt.org/docs/integration-guide/",
    },
    "sec.tls_old": {
      name: "TLS 1.0 or 1.1 accepted",
      ...{ severity: "warning", priority: "medium", phase: "site", on: "host" },
      query: `SELECT a.id AS id, NULL AS evidence FROM audit_hosts a JOIN urls u ON u.id = a.id
        JOIN notes n ON n.key = 'old-tls:' || substr(u.url, 1, instr(substr(u.url, 9), '/') + 7)
        WHERE json_extract(n.value, '$.isAccepted')`,
      why: "Both versions have known weaknesses, and were withdrawn in 2021 (RFC 8996). Security scans count them as a defect.",
      fix: "Configure the server to accept only TLS 1.2 and 1.3.",
      link: "https://www.rfc-editor.org/rfc/rfc8996",
    },
    "sec.protocol_relative": {
      name: "Protocol-relative resources",
      ...{ severity: "notice", priority: "low", on: "page" },
      when: "protocol_relative > 0",
      evidence: "protocol_relative || iif(protocol_relative = 1, ' resource', ' resources')",
      why: "On a page without encryption they are loaded without it too, and anyone on the network can change them.",
      fix: "Write https:// before them.",
    },
    "sec.missing_sri": {
      name: "Third-party script without a checksum",
      ...{ severity: "notice", priority: "low", on: "page" },
      when: "foreign_addresses(scripts_no_integrity, host) IS NOT NULL",
      evidence: "foreign_addresses(scripts_no_integrity, host)",
      why: "Whoever controls that host can run anything on your page.",
      fix: "Add an integrity attribute, or serve the script yourself.",
      link: "https://developer.mozilla.org/docs/Web/Security/Subresource_Integrity",
    },
  },
);
