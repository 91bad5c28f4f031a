import assert from "node:assert/strict";
import { test } from "node:test";
import { domainToASCII } from "node:url";
import { unicodeHost } from "./unicode-host.ts";
import { bareUrl, urlParts } from "./web-link.ts";

test("hosts are shown in Unicode, in any script, with the rest of the URL as it is", () => {
  for (const host of ["münchen.de", "пример.рф", "例え.jp", "ουτοπία.gr", "中文.com", "bücher.example", "ไทย.th"]) {
    assert.equal(unicodeHost(domainToASCII(host)), host);
    assert.equal(unicodeHost(`https://www.${domainToASCII(host)}`), `https://www.${host}`);
  }
  assert.deepEqual(urlParts("https://xn--mnchen-3ya.de/a?b=xn--mnchen-3ya"), {
    origin: "https://münchen.de",
    path: "/a?b=xn--mnchen-3ya",
  });
  assert.equal(bareUrl("https://xn--mnchen-3ya.de/"), "münchen.de");
  assert.equal(unicodeHost("example.com"), "example.com");
});

test("what is not valid, or could pose as another name, stays as it is", () => {
  const mixed = domainToASCII("аpple.com"); // The first letter is Cyrillic.
  for (const host of [mixed, "xn--.com", "xn--a-.com", "xn--99999999999.com"]) assert.equal(unicodeHost(host), host);
});
