import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { endpointOfHost, isDid, normaliseEndpoint, parseDidDocument, webDidUrl } from "./did.ts";

test("one text for one host", () => {
  for (const written of [
    "https://PDS.Example.com",
    "https://pds.example.com/",
    " https://pds.example.com:443 ",
    "https://pds.example.com.",
  ]) {
    assert.equal(normaliseEndpoint(written, false).origin, "https://pds.example.com", written);
  }
  assert.equal(normaliseEndpoint("https://pds.example.com:8443/", false).origin, "https://pds.example.com:8443");
  assert.equal(normaliseEndpoint("https://bücher.example", false).origin, "https://xn--bcher-kva.example");
});

const HOSTILE = [
  "",
  "pds.example.com",
  "http://pds.example.com",
  "ftp://pds.example.com",
  "javascript:alert(1)",
  "https://localhost",
  "https://localhost.",
  "https://a.localhost",
  "https://printer.local",
  "https://metadata.google.internal",
  "https://intranet",
  "https://127.0.0.1",
  "https://127.1",
  "https://0x7f000001",
  "https://2130706433",
  "https://1.1.1.1",
  "https://[::1]",
  "https://[::ffff:10.0.0.1]",
  "https://user@pds.example.com",
  "https://u:p@pds.example.com",
  "https://pds.example.com/path",
  "https://pds.example.com/?q",
  "https://pds.example.com/#x",
  `https://${"a".repeat(400)}.example`,
];

for (const written of HOSTILE) {
  test(`refused: ${written.slice(0, 60)}`, () => {
    const { origin, refused } = normaliseEndpoint(written, false);
    assert.equal(origin, null);
    assert.ok(refused!.length > 0);
  });
}

test("with leave, private hosts and http", () => {
  assert.equal(normaliseEndpoint("http://localhost:2583/", true).origin, "http://localhost:2583");
  assert.equal(normaliseEndpoint("http://127.0.0.1:80", true).origin, "http://127.0.0.1");
  assert.equal(normaliseEndpoint("http://user@localhost", true).origin, null);
  assert.equal(endpointOfHost("localhost:2583", true).origin, "http://localhost:2583");
  assert.equal(endpointOfHost("127.0.0.1:99", true).origin, "http://127.0.0.1:99");
  assert.equal(endpointOfHost("pds.example.com", true).origin, "https://pds.example.com");
  assert.equal(endpointOfHost("localhost:2583", false).origin, null);
});

test("an endpoint that was accepted is its own normal form", () => {
  fc.assert(
    fc.property(fc.webUrl(), fc.boolean(), (url, allowPrivate) => {
      const { origin } = normaliseEndpoint(url, allowPrivate);
      if (origin !== null) assert.equal(normaliseEndpoint(origin, allowPrivate).origin, origin);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => void normaliseEndpoint(text, true)));
});

test("which texts are DIDs", () => {
  for (const did of ["did:plc:ewvi7nxzyoun6zhxrhs64oiz", "did:web:example.com", "did:web:localhost%3A2583"]) {
    assert.ok(isDid(did), did);
  }
  for (const text of [
    "",
    "did:plc:",
    "did:plc:short",
    "did:plc:EWVI7NXZYOUN6ZHXRHS64OIZ",
    "did:plc:ewvi7nxzyoun6zhxrhs64oi1",
    "did:plc:ewvi7nxzyoun6zhxrhs64oizz",
    "did:key:zQ3sh",
    "did:web:",
    "did:web:a b",
    "did:web:a'b",
    "did:web:example.com:path",
    "did:plc:ewvi7nxzyoun6zhxrhs64oiz\n",
    "did:web:a\\",
  ]) {
    assert.ok(!isDid(text), text);
  }
});

test("what passes as a DID has no character that means something in SQL or in a URL", () => {
  fc.assert(fc.property(fc.string(), (text) => !isDid(`did:web:${text}`) || /^[a-zA-Z0-9.%-]+$/.test(text)));
});

test("where the document of a did:web is", () => {
  assert.equal(webDidUrl("did:web:Example.com"), "https://example.com/.well-known/did.json");
  assert.equal(webDidUrl("did:web:localhost%3A2583"), "http://localhost:2583/.well-known/did.json");
});

test("entries of a document that are for something else, or broken, do not cost the account", () => {
  const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
  const key = { id: `${did}#atproto`, type: "Multikey", publicKeyMultibase: "zQ3sh" };
  const pds = { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: "https://pds.example" };
  const odd = [null, "#key-2", {}, { id: "#jwk", publicKeyJwk: {} }, { ...pds, serviceEndpoint: { uri: "x" } }, [key]];
  const expected = { pds: "https://pds.example", signingKey: "did:key:zQ3sh" };
  for (const entry of odd) {
    const document = { id: did, verificationMethod: [entry, key], service: [entry, pds] };
    assert.deepEqual(parseDidDocument(document, did), expected, JSON.stringify(entry));
  }
  assert.deepEqual(parseDidDocument({ id: did, verificationMethod: key, service: pds }, did), expected);
  assert.deepEqual(parseDidDocument({ id: did }, did), { pds: null, signingKey: null });
  for (const other of [{}, null, [], { id: "did:plc:bbbbbbbbbbbbbbbbbbbbbbbb" }]) {
    assert.equal(parseDidDocument(other, did), null);
  }
});
