import assert from "node:assert/strict";
import { test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { type Caller, OWNER, REMOTE } from "../caller.ts";
import { normalizeUrl } from "../url-input.ts";
import { checkStartAddresses } from "./start-addresses.ts";

const OPEN = { allowPrivate: false, proxy: null };
const NAMES: Record<string, string[]> = {
  "public.test": ["93.184.216.34", "2606:2800:220:1::1"],
  "inside.test": ["10.1.2.3"],
  "both.test": ["93.184.216.34", "127.0.0.1"],
  "cloud.test": ["169.254.169.254"],
};
const lookup = async (host: string) => {
  if (NAMES[host] === undefined) throw new Error("ENOTFOUND");
  return NAMES[host].map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
};

const check = (typed: string, caller: Caller, reach = OPEN) =>
  checkStartAddresses([normalizeUrl(typed)], reach, caller, lookup).then(
    (notes) => notes.map(({ key, value }) => `${key} ${value}`).join(),
    (error) => (error instanceof TrawlError ? error.code : String(error)),
  );

const LOCAL: Caller = { isOwner: false, mayStartPrivate: true };

const PRIVATE = [
  ...[
    "http://127.0.0.1/",
    "http://localhost:3000/",
    "a.localhost",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
  ],
  ...[
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::]/",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
  ],
  ...[
    "http://172.16.0.1/",
    "http://169.254.1.1/",
    "http://[fe80::1]/",
    "http://[fd12::1]/",
    "http://100.64.0.1/",
    "http://１２７.0.0.1/",
  ],
  ...["http://inside.test/", "http://both.test/", "http://[64:ff9b::7f00:1]/"],
];
const METADATA = [
  ...[
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
  ],
  ...[
    "http://metadata.google.internal/",
    "http://METADATA.google.internal./",
    "http://2852039166/",
    "http://cloud.test/",
  ],
  ...["http://[::ffff:169.254.169.254]/"],
];

test("private starts are refused, however they are written, unless the caller may; metadata services always", async () => {
  for (const url of PRIVATE) {
    assert.equal(await check(url, REMOTE), "PRIVATE_START", url);
    assert.equal(await check(url, LOCAL), "", url);
    assert.equal(await check(url, REMOTE, { ...OPEN, allowPrivate: true }), "", `${url}, as its owner saved`);
  }
  for (const url of METADATA) {
    assert.equal(await check(url, REMOTE), "PRIVATE_START", url);
    assert.equal(await check(url, LOCAL), "PRIVATE_START", url);
    assert.equal(await check(url, REMOTE, { ...OPEN, allowPrivate: true }), "PRIVATE_START", url);
  }
});

test("a public start must stay public; the owner is not asked, and a name that does not exist is the crawl's business", async () => {
  assert.equal(await check("http://public.test/", REMOTE), 'address:public.test:80 ["public"]');
  assert.equal(await check("https://missing.test/", REMOTE), 'address:missing.test:443 ["public"]');
  assert.equal(await check("http://127.0.0.1/", OWNER), "");
});

test("in a long list, addresses are checked and names are left to the crawl", async () => {
  const long = Array.from({ length: 200 }, (_, index) => `https://host${index}.test/`);
  const notes = await checkStartAddresses(long, OPEN, REMOTE, () => assert.fail("looked up"));
  assert.equal(notes.length, 200);
  await assert.rejects(checkStartAddresses([...long, "http://10.0.0.1/"], OPEN, REMOTE, lookup), TrawlError);
});
