import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AddressClass, addressClass, addressKind, isGlobalAddress } from "./egress.ts";

const GLOBAL = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "168.63.129.15",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.88.98.255",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "2002:0808:0808::1",
  "64:ff9b::8.8.8.8",
  "64:ff9b::808:808",
  "2001:0:808:808:0:ffff:f7f7:f7f7",
  "3fff:1000::1",
];

const NOT_GLOBAL: Record<string, string> = {
  "0.0.0.0": "this network",
  "0.255.255.255": "this network",
  "10.0.0.1": "private",
  "10.255.255.255": "private",
  "100.64.0.1": "carrier-grade NAT",
  "100.100.100.200": "cloud metadata",
  "100.127.255.255": "carrier-grade NAT",
  "127.0.0.1": "loopback",
  "127.255.255.254": "loopback",
  "168.63.129.16": "cloud metadata",
  "169.254.169.254": "cloud metadata",
  "169.254.1.1": "link-local",
  "172.16.0.1": "private",
  "172.31.255.255": "private",
  "192.0.0.192": "cloud metadata",
  "192.0.0.1": "IETF protocol",
  "192.0.2.1": "documentation",
  "192.88.99.1": "6to4 relay",
  "192.168.1.1": "private",
  "198.18.0.1": "benchmark",
  "198.19.255.255": "benchmark",
  "198.51.100.7": "documentation",
  "203.0.113.7": "documentation",
  "224.0.0.1": "multicast",
  "239.255.255.255": "multicast",
  "240.0.0.1": "reserved",
  "255.255.255.255": "reserved",
  "::": "unspecified",
  "::1": "loopback",
  "::127.0.0.1": "IPv4-compatible",
  "::8.8.8.8": "IPv4-compatible",
  "::ffff:127.0.0.1": "IPv4-mapped",
  "::ffff:7f00:1": "IPv4-mapped",
  "::ffff:8.8.8.8": "IPv4-mapped",
  "0:0:0:0:0:ffff:a00:1": "IPv4-mapped",
  "::ffff:0:10.0.0.1": "IPv4-translated",
  "64:ff9b::127.0.0.1": "NAT64 of a loopback address",
  "64:ff9b::a9fe:a9fe": "NAT64 of a cloud metadata address",
  "64:ff9b::192.168.0.1": "NAT64 of a private address",
  "64:ff9b:1::8.8.8.8": "local NAT64",
  "64:ff9b:0:1::1": "reserved",
  "100::1": "discard",
  "2001:0:7f00:1::1": "Teredo of a loopback address",
  "2001:0:808:808:0:ffff:f5ff:fffe": "Teredo of a private address",
  "2001:2::1": "IETF protocol",
  "2001:10::1": "IETF protocol",
  "2001:db8::1": "documentation",
  "2002:7f00:1::1": "6to4 of a loopback address",
  "2002:a00:1::1": "6to4 of a private address",
  "2002:c0a8:101::": "6to4 of a private address",
  "3fff::1": "documentation",
  "4000::1": "reserved",
  "5f00::1": "segment routing",
  "fc00::1": "unique local",
  "fd00:ec2::254": "cloud metadata",
  "fd00:ec3::254": "unique local",
  "fe80::1": "link-local",
  "febf::1": "link-local",
  "fec0::1": "site-local",
  "ff02::1": "multicast",
  "fe80::1%eth0": "not an address",
  "2606:4700::1%eth0": "not an address",
  "example.com": "not an address",
  "": "not an address",
  "127.1": "not an address",
  "0x7f.0.0.1": "not an address",
  "2130706433": "not an address",
  "[::1]": "not an address",
};

test("public addresses are global", () => {
  for (const address of GLOBAL) assert.equal(addressKind(address), "global", address);
});

test("special addresses are refused, each by its name", () => {
  for (const [address, kind] of Object.entries(NOT_GLOBAL)) {
    assert.equal(addressKind(address), kind, address);
    assert.equal(isGlobalAddress(address), false, address);
  }
});

test("an IPv4 address is judged the same inside NAT64 and 6to4", () => {
  fc.assert(
    fc.property(fc.ipV4(), (ip) => {
      const [a, b, c, d] = ip.split(".").map(Number) as [number, number, number, number];
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      assert.equal(isGlobalAddress(`64:ff9b::${ip}`), isGlobalAddress(ip));
      assert.equal(isGlobalAddress(`64:ff9b::${hex}`), isGlobalAddress(ip));
      assert.equal(isGlobalAddress(`2002:${hex}::1`), isGlobalAddress(ip));
      assert.equal(isGlobalAddress(`::ffff:${ip}`), false);
    }),
  );
});

test("every spelling of an IPv6 address is judged the same, and no text throws", () => {
  fc.assert(
    fc.property(fc.ipV6(), (ip) => {
      const canonical = new URL(`http://[${ip}]/`).hostname.slice(1, -1);
      assert.equal(addressKind(ip), addressKind(canonical));
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => typeof addressKind(text) === "string"));
});

const CLASSES: Record<AddressClass, string[]> = {
  public: ["8.8.8.8", "2606:4700:4700::1111", "64:ff9b::8.8.8.8"],
  private: ["10.0.0.1", "192.168.1.1", "100.64.0.1", "fd12::1", "64:ff9b::10.0.0.1", "2002:a00:1::1"],
  loopback: ["127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::127.0.0.1"],
  "link-local": ["169.254.1.1", "fe80::1"],
  metadata: [
    ...["169.254.169.254", "169.254.170.2", "169.254.170.23", "168.63.129.16", "100.100.100.200", "192.0.0.192"],
    ...["169.254.0.23", "169.254.42.42", "fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42"],
    ...["::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "::169.254.169.254", "::ffff:0:169.254.169.254"],
    ...["64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "2002:a9fe:a9fe::", "2001:0:808:808:0:ffff:5601:5601"],
  ],
  reserved: ["192.0.2.1", "224.0.0.1", "255.255.255.255", "::ffff:8.8.8.8", "2001:db8::1", "fe80::1%eth0", "localhost"],
};

test("every address has a class, also inside an IPv6 address", () => {
  for (const [name, addresses] of Object.entries(CLASSES)) {
    for (const address of addresses) assert.equal(addressClass(address), name, address);
  }
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => isGlobalAddress(ip) === (addressClass(ip) === "public")),
  );
});
