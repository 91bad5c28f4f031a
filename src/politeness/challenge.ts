/**
 * Challenge pages: what a bot check in front of a site sends instead of the page. They are recognised by what only such a
 * page has: a header that says so, or the check's own script in a page with hardly any text. A page about them has neither.
 */
import { type HeaderPairs, headerValue } from "../net/headers.ts";
import { type Attributes, decodeText, type HtmlSource, scanHtml, type Tag, tagNamed } from "../web/html/index.ts";

interface Vendor {
  /** Headers that only a challenge has, whatever its status and body. */
  headers?: Readonly<Record<string, RegExp>>;
  /** What a script or an attribute of a challenge contains. */
  marks?: readonly string[];
  /** The mark is also part of ordinary pages, and means a challenge only where this holds. */
  only?: (page: BarePage, isRefused: boolean) => boolean;
  /** Its whole title. Others may use the same words, so it counts only with a status that refuses the page. */
  title?: RegExp;
}

const whenRefused = (_: BarePage, isRefused: boolean): boolean => isRefused;

const VENDORS: Readonly<Record<string, Vendor>> = {
  Cloudflare: {
    headers: { "cf-mitigated": /^challenge$/i },
    marks: [
      "_cf_chl_opt",
      "cf-browser-verification",
      "cf-challenge-running",
      "jschl_vc",
      "/cdn-cgi/challenge-platform/",
    ],
    // A script of the same folder looks at the browsers of ordinary pages, without stopping anyone.
    only: ({ code }) => code.some((one) => CLOUDFLARE_CHECK.test(one)),
    title: /^just a moment(?:\.{3}|…)?$|^checking your browser/i,
  },
  Akamai: { marks: ["sec-if-cpt-container", "/_sec/cp_challenge/", "/_sec/verify?provider=", "bm-verify="] },
  DataDome: {
    headers: { "x-dd-b": /^[1-9]/ },
    marks: ["captcha-delivery.com"],
    only: whenRefused,
  },
  HUMAN: {
    marks: ["px-captcha", "_pxBlockedUrl", "captcha.px-cdn.net", "captcha.px-cloud.net"],
    only: whenRefused,
    title: /^access to this page has been denied\.?$/i,
  },
  Imperva: {
    marks: ["_Incapsula_Resource"],
    // Added to ordinary pages too. A challenge has nothing else, or a frame with the number of the incident.
    only: ({ text, scripts }) =>
      /incapsula incident id/i.test(text) ||
      (text === "" && scripts.every((src) => src === "" || src.includes("_Incapsula_Resource"))),
    title: /^pardon our interruption(?:\.{3}|…)?$/i,
  },
  "AWS WAF": {
    headers: { "x-amzn-waf-action": /^(?:challenge|captcha)$/i },
    marks: ["awsWafCookieDomainList", "AwsWafIntegration", "AwsWafCaptcha"],
    only: whenRefused,
    title: /^human verification$/i,
  },
  Sucuri: { marks: ["sucuri_cloudproxy_js", "sucuri_cloudproxy_uuid_"] },
  "DDoS-Guard": { marks: ["/ddos-guard/js-challenge", "ddg-captcha"], title: /^ddos-guard$/i },
  Vercel: { headers: { "x-vercel-mitigated": /^challenge$/i }, title: /^vercel security checkpoint$/i },
  Kasada: { marks: ["KPSDK"], only: whenRefused },
  F5: {
    marks: ["/TSPD/", "bobcmn"],
    only: ({ text }) => /^please enable javascript to view the page content/i.test(text),
  },
  Qrator: { marks: ["/__qrator/qauth"], only: whenRefused },
  SiteGround: { headers: { "sg-captcha": /^challenge$/i }, marks: ["/.well-known/sgcaptcha/"] },
  Anubis: { marks: ["anubis_challenge"] },
  Azure: { title: /^azure waf$/i },
};

const CLOUDFLARE_CHECK =
  /_cf_chl_opt|cf-browser-verification|cf-challenge-running|jschl_vc|\/cdn-cgi\/challenge-platform\/(?!(?:h\/\w+\/)?scripts\/)/;

const HEADERS = new Map(
  Object.entries(VENDORS).flatMap(([vendor, { headers = {} }]) =>
    Object.entries(headers).map(([name, value]) => [name, { vendor, value }] as const),
  ),
);

const MARKS = Object.entries(VENDORS).flatMap(([vendor, { marks = [] }]) =>
  marks.map((mark) => ({ vendor, mark, bytes: Buffer.from(mark) })),
);

/** Statuses with which a page is refused, or put off. */
const REFUSALS = new Set([202, 401, 403, 405, 428, 429, 503]);

/** A bot check is a few kilobytes, and says a few sentences. */
const MAX_BYTES = 64 * 1024;
const MAX_TEXT = 1_000;

export interface ChallengeInput {
  status: number;
  headers: HeaderPairs;
  /** Decompressed. */
  body: Buffer;
}

/**
 * Whose bot check was sent in place of the page; null when the answer is the site's own. Where the length of
 * its visible text is known anyway, `textLength` spares the search of most pages.
 */
export function challengeOf({ status, headers, body }: ChallengeInput, textLength = 0): string | null {
  for (const [name, value] of headers) {
    const known = HEADERS.get(name);
    if (known?.value.test(value.trim())) return known.vendor;
  }
  const isRefused = REFUSALS.has(status);
  if (textLength > MAX_TEXT || (!isRefused && (status < 200 || status > 299))) return null;
  if (body.length === 0 || body.length > MAX_BYTES || !isHtml(headers)) return null;
  const marks = MARKS.filter(({ bytes }) => body.includes(bytes));
  if (marks.length === 0 && !isRefused) return null;
  const page = readBare(body.toString("utf8"));
  if (page.text.length > MAX_TEXT) return null;
  const marked = marks.find(
    ({ vendor, mark }) =>
      page.code.some((code) => code.includes(mark)) && VENDORS[vendor]!.only?.(page, isRefused) !== false,
  );
  if (marked !== undefined) return marked.vendor;
  if (!isRefused) return null;
  return Object.entries(VENDORS).find(([, { title }]) => title?.test(page.title))?.[0] ?? null;
}

function isHtml(headers: HeaderPairs): boolean {
  const type = headerValue(headers, "content-type");
  return type === null || /^\s*(?:text\/html|application\/xhtml\+xml)/i.test(type);
}

interface BarePage {
  title: string;
  /** What a reader sees, with or without scripts; cut off where it is too long for a challenge. */
  text: string;
  /** Scripts, and the values of attributes. */
  code: string[];
  /** The `src` of each script, empty for one in the page itself. */
  scripts: string[];
}

const TITLE = tagNamed("title");
const SCRIPT = tagNamed("script");
const STYLE = tagNamed("style");

function readBare(html: string): BarePage {
  const page: BarePage = { title: "", text: "", code: [], scripts: [] };
  let inside: Tag | null = null;
  scanHtml(html, {
    open(tag: Tag, attributes: Attributes) {
      inside = tag;
      if (page.text.length > MAX_TEXT) return;
      if (tag === SCRIPT) page.scripts.push(attributes.get("src") ?? "");
      for (const [, value] of attributes.entries()) if (value !== null && value !== "") page.code.push(value);
    },
    close() {
      inside = null;
    },
    text(source: HtmlSource, start: number, end: number, references: boolean) {
      if (inside === STYLE || page.text.length > MAX_TEXT) return;
      const raw = source.text(start, end);
      if (inside === SCRIPT) page.code.push(raw);
      else if (inside === TITLE) page.title += references ? decodeText(raw) : raw;
      else page.text += references ? decodeText(raw).replace(/\s+/g, " ") : "";
    },
  });
  return { ...page, title: page.title.trim(), text: page.text.trim() };
}
