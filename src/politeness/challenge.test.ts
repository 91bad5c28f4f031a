import assert from "node:assert/strict";
import { test } from "node:test";
import type { HeaderPairs } from "../net/headers.ts";
import { challengeOf } from "./challenge.ts";

const HTML = { "content-type": "text/html; charset=UTF-8" };
const vendorOf = (status: number, headers: Record<string, string>, body: string): string | null =>
  challengeOf({ status, headers: Object.entries({ ...HTML, ...headers }) as HeaderPairs, body: Buffer.from(body) });

const CLOUDFLARE = `<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>
<meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><meta name="robots" content="noindex,nofollow">
<style>*{box-sizing:border-box;margin:0;padding:0}</style><meta http-equiv="refresh" content="390"></head>
<body class="no-js"><div class="main-wrapper" role="main"><div class="main-content"><noscript><div class="h2">
<span id="challenge-error-text">Enable JavaScript and cookies to continue</span></div></noscript></div></div>
<script>(function(){window._cf_chl_opt={cvId:'3',cZone:"www.example.com",cType:'managed',cRay:'8c1'};
var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8c1';
document.getElementsByTagName('head')[0].appendChild(a);}());</script></body></html>`;
const CLOUDFLARE_OLD = `<html><head><title>Just a moment...</title></head><body><h1>Checking your browser before accessing
example.com.</h1><form id="challenge-form" action="/?__cf_chl_jschl_tk__=1"><input type="hidden" name="jschl_vc" value="a">
<div class="cf-browser-verification cf-im-under-attack">This process is automatic.</div></form></body></html>`;
const DATADOME = `<html lang="en"><head><title>example.com</title><style>#cmsg{animation: A 1.5s;}</style></head>
<body style="margin:0"><p id="cmsg">Please enable JS and disable any ad blocker</p><script data-cfasync="false">var dd={'rt':'c',
'cid':'AHrlqAAAA','hsh':'1','t':'fe','s':1,'host':'geo.captcha-delivery.com'}</script>
<script src="https://ct.captcha-delivery.com/c.js"></script></body></html>`;
const HUMAN = `<!DOCTYPE html><html><head><title>Access to this page has been denied.</title></head><body>
<h1>Press &amp; Hold to confirm you are a human (and not a bot).</h1><div id="px-captcha"></div>
<script>window._pxAppId = 'PX1'; window._pxBlockedUrl = '/';</script></body></html>`;
const IMPERVA = `<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"></head>
<body style="margin:0px;height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1" frameborder=0>
Request unsuccessful. Incapsula incident ID: 877000-1</iframe></body></html>`;
const IMPERVA_SCRIPT = `<html><head><META NAME="robots" CONTENT="noindex,nofollow">
<script src="/_Incapsula_Resource?SWJIYLWA=5074a744e2e3d891814e9a2dace20bd4,719d34d31c8e3a6e6fffd425f7e032f3"></script>
<body></body></html>`;
const AWS = `<!DOCTYPE html><html lang="en"><head><title></title><script>window.awsWafCookieDomainList = [];
window.gokuProps = {"key":"a"};</script><script src="https://a.token.awswaf.com/b/challenge.js"></script></head>
<body><div id="challenge-container"></div><script>AwsWafIntegration.saveReferrer();</script>
<noscript><h1>JavaScript is disabled</h1>In order to continue, we need to verify that you're not a robot.</noscript></body></html>`;
const SUCURI = `<html><title>You are being redirected...</title><noscript>Javascript is required. Please enable javascript
before you are allowed to see this page.</noscript><script>var s={},u,c,U,r,i,l=0,a,e=eval,w=String.fromCharCode,
sucuri_cloudproxy_js='',S='cz0iN';</script></html>`;
const AKAMAI = `<html><head></head><body><div id="sec-if-cpt-container" role="main"></div>
<script src="/_sec/cp_challenge/ak-challenge-4-3.htm"></script></body></html>`;
const AKAMAI_REFRESH = `<html><head><meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQAAA'" /></head>
<body><script>var i = 1;</script></body></html>`;
const DDOS_GUARD = `<!DOCTYPE html><html><head><title>DDoS-Guard</title></head><body data-ddg-origin="true">
<h1>Checking your browser</h1><script src="/.well-known/ddos-guard/js-challenge/index.js"></script></body></html>`;
const F5 = `<html><head><noscript>Please enable JavaScript to view the page content.<br/>Your support ID is: 1.</noscript>
<script>(function(){window["bobcmn"] = "101110";})();</script><script src="/TSPD/08?type=7"></script></head><body></body></html>`;
const ANUBIS = `<!doctype html><html><head><title>Making sure you&#39;re not a bot!</title>
<script id="anubis_challenge" type="application/json">{"difficulty":4}</script></head><body><h1>Making sure…</h1></body></html>`;

const CHALLENGES: [vendor: string, status: number, headers: Record<string, string>, body: string][] = [
  ["Cloudflare", 403, { server: "cloudflare", "cf-mitigated": "challenge" }, CLOUDFLARE],
  ["Cloudflare", 403, { "cf-mitigated": "challenge" }, ""],
  ["Cloudflare", 200, {}, CLOUDFLARE],
  ["Cloudflare", 503, { server: "cloudflare" }, CLOUDFLARE_OLD],
  ["Cloudflare", 503, {}, "<title>Just a moment…</title><p>Checking your browser"],
  [
    "Cloudflare",
    200,
    {},
    `<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/h/g/orchestrate/jsch/v1"></script>`,
  ],
  ["DataDome", 403, { server: "DataDome", "x-datadome": "protected", "x-dd-b": "1" }, DATADOME],
  ["DataDome", 403, { "x-datadome": "protected" }, DATADOME],
  ["HUMAN", 403, {}, HUMAN],
  ["Imperva", 200, { "x-iinfo": "1-2", "x-cdn": "Imperva" }, IMPERVA],
  ["Imperva", 403, {}, IMPERVA],
  ["Imperva", 200, {}, IMPERVA_SCRIPT],
  ["AWS WAF", 202, { "x-amzn-waf-action": "challenge" }, AWS],
  ["AWS WAF", 202, {}, AWS],
  ["AWS WAF", 405, { "x-amzn-waf-action": "captcha" }, ""],
  ["Sucuri", 200, { server: "Sucuri/Cloudproxy", "x-sucuri-id": "11005" }, SUCURI],
  ["Akamai", 428, {}, AKAMAI],
  ["Akamai", 200, { server: "AkamaiGHost" }, AKAMAI_REFRESH],
  ["DDoS-Guard", 403, { server: "ddos-guard" }, DDOS_GUARD],
  ["Vercel", 429, { "x-vercel-mitigated": "challenge" }, "<title>Vercel Security Checkpoint</title>"],
  ["F5", 200, {}, F5],
  ["Anubis", 200, {}, ANUBIS],
  ["SiteGround", 202, { "sg-captcha": "challenge" }, ""],
];

for (const [vendor, status, headers, body] of CHALLENGES) {
  test(`a challenge of ${vendor} with ${status}: ${Object.keys(headers).join(", ") || "by its body"}`, () => {
    assert.equal(vendorOf(status, headers, body), vendor);
  });
}

const escaped = (html: string): string => html.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const SHELL = `<title>Shop</title><div id="root"></div><script src="/app.js"></script>`;

const OTHERS: [name: string, status: number, headers: Record<string, string>, body: string][] = [
  [
    "an article about it",
    200,
    { server: "cloudflare" },
    `<title>Just a moment...</title><h1>What it means</h1><p>Cloudflare shows "Just a moment..."`,
  ],
  [
    "a note that quotes its code",
    200,
    {},
    `<title>Notes</title><pre>${escaped(CLOUDFLARE)}</pre><code>window._cf_chl_opt</code>`,
  ],
  [
    "a long page that contains its code",
    200,
    {},
    `<title>Demo</title><p>${"We embed the page of a bot check. ".repeat(60)}</p>${CLOUDFLARE}`,
  ],
  [
    "a missing page that quotes its code",
    404,
    {},
    `<title>Not found</title><code>_cf_chl_opt bm-verify= px-captcha</code>`,
  ],
  [
    "Cloudflare's script on an ordinary page",
    200,
    { server: "cloudflare" },
    `${SHELL}<script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>`,
  ],
  [
    "the same in its own folder, with 403",
    403,
    {},
    `<title>Forbidden</title><script src="/cdn-cgi/challenge-platform/h/b/scripts/jsd/1/main.js"></script>`,
  ],
  [
    "Cloudflare's block page",
    403,
    { server: "cloudflare" },
    "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked",
  ],
  [
    "Imperva's script on an ordinary page",
    200,
    { "x-cdn": "Imperva" },
    `<h1>Hi</h1><script src="/_Incapsula_Resource?SWJIYLWA=1"></script>`,
  ],
  [
    "Imperva's script on a page built by scripts",
    200,
    {},
    `${SHELL}<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>`,
  ],
  [
    "DataDome's header on an ordinary page",
    200,
    { "x-datadome": "protected" },
    `${SHELL}<link rel="preconnect" href="https://geo.captcha-delivery.com">`,
  ],
  ["AWS WAF's library on an ordinary page", 200, {}, `${SHELL}<script>AwsWafIntegration.fetch('/a')</script>`],
  ["F5's script on an ordinary page", 200, {}, `${SHELL}<script src="/TSPD/08?type=7"></script>`],
  [
    "a form with a captcha",
    200,
    {},
    `<title>Sign in</title><form></form><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>`,
  ],
  [
    "an ordinary refusal",
    403,
    { server: "cloudflare", "cf-ray": "8" },
    "<title>403 Forbidden</title><h1>Forbidden</h1>",
  ],
  [
    "Akamai's refusal",
    403,
    { server: "AkamaiGHost" },
    "<title>Access Denied</title><h1>Access Denied</h1>Reference #18.1",
  ],
  ["an overloaded server", 503, {}, "<title>503</title>Service unavailable"],
  ["a script with the same words", 200, { "content-type": "text/javascript" }, "window._cf_chl_opt={}"],
  ["an empty page", 200, {}, ""],
];

for (const [name, status, headers, body] of OTHERS) {
  test(`not a challenge: ${name}`, () => {
    assert.equal(vendorOf(status, headers, body), null);
  });
}

test("a page that repeats a mark without end takes no longer than others", () => {
  const body = `<script>_cf_chl_opt</script><a id="bm-verify=">`.repeat(1_300);
  assert.equal(vendorOf(200, {}, body), "Cloudflare");
});
