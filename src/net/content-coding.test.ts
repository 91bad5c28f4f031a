import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { contentCodings, decodeBody } from "./content-coding.ts";
import { FetchError } from "./fetch-errors.ts";

const CAP = 8 << 20;

const COMPRESS = {
  gzip: gzipSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  zstd: zstdCompressSync,
  deflate: deflateSync,
  "deflate raw": deflateRawSync,
};

/** Text that does not shrink to nothing, so that half of the compressed form holds about half of it. */
function text(length: number): Buffer {
  let state = 1;
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    bytes[index] = 97 + ((state >> 16) % 26);
  }
  return bytes;
}

const decode = async (bytes: Buffer, header: string, cap = CAP, partial = false) =>
  decodeBody(bytes, contentCodings(header), { cap, mayGrow: null }, partial);

const refuses = (decoding: Promise<unknown>) =>
  assert.rejects(decoding, (error) => error instanceof FetchError && error.code === "bad_encoding");

test("undoes every coding, small and large, alone and two deep", async () => {
  for (const size of [0, 1, 30_000, 600_000]) {
    const body = text(size);
    for (const [name, compress] of Object.entries(COMPRESS)) {
      const coding = name.split(" ")[0]!;
      const once = await decode(compress(body), coding);
      assert.ok(once.body.equals(body), `${name} ${size}`);
      assert.equal(once.truncated, null);
      const twice = await decode(compress(gzipSync(body)), `gzip, ${coding}`);
      assert.ok(twice.body.equals(body), `gzip, ${name} ${size}`);
    }
  }
});

test("names are read as browsers read them", () => {
  assert.deepEqual(contentCodings(null), []);
  assert.deepEqual(contentCodings("identity"), []);
  assert.deepEqual(contentCodings("utf-8"), []);
  assert.deepEqual(contentCodings("constructor, __proto__"), []);
  assert.deepEqual(contentCodings(" X-GZIP ,"), ["gzip"]);
  assert.deepEqual(contentCodings("gzip, br"), ["br", "gzip"]);
  assert.throws(() => contentCodings("gzip, gzip, gzip"), FetchError);
});

test("an empty body is empty in any coding", async () => {
  for (const coding of ["gzip", "deflate", "br", "zstd", "gzip, br"]) {
    assert.equal((await decode(Buffer.alloc(0), coding)).body.length, 0);
  }
});

test("every zstd frame is decoded, skippable ones passed over", async () => {
  const frames = ["one ", "two ", "", "three"].map((part) => zstdCompressSync(Buffer.from(part)));
  const skippable = Buffer.from("502a4d1803000000616263", "hex");
  const body = Buffer.concat([skippable, frames[0]!, frames[1]!, skippable, frames[2]!, frames[3]!, skippable]);
  assert.equal((await decode(body, "zstd")).body.toString(), "one two three");
  const large = text(600_000);
  const two = Buffer.concat([zstdCompressSync(large), zstdCompressSync(large)]);
  assert.equal((await decode(two, "zstd")).body.length, 1_200_000);
});

test("several gzip members are one body", async () => {
  assert.equal((await decode(Buffer.concat([gzipSync("one "), gzipSync("two")]), "gzip")).body.toString(), "one two");
});

test("a bomb gives the cap and no more", async () => {
  const zeros = Buffer.alloc(24 << 20);
  for (const [name, compress] of Object.entries(COMPRESS)) {
    const before = process.memoryUsage().arrayBuffers;
    const { body, truncated } = await decode(compress(zeros), name.split(" ")[0]!, 1 << 20);
    assert.equal(body.length, 1 << 20, name);
    assert.equal(truncated, "decoded", name);
    assert.ok(process.memoryUsage().arrayBuffers - before < 8 << 20, name);
  }
  const nested = await decode(gzipSync(gzipSync(zeros)), "gzip, gzip", 1 << 20);
  assert.equal(nested.body.length, 1 << 20);
});

test("a body of exactly the cap is whole, one byte more is not", async () => {
  const body = text(10_000);
  for (const [name, compress] of Object.entries(COMPRESS)) {
    const coding = name.split(" ")[0]!;
    assert.equal((await decode(compress(body), coding, 10_000)).truncated, null, name);
    const cut = await decode(compress(body), coding, 9_999);
    assert.equal(cut.truncated, "decoded", name);
    assert.ok(cut.body.equals(body.subarray(0, 9_999)), name);
  }
  const frames = Buffer.concat([zstdCompressSync("abc"), zstdCompressSync("def")]);
  assert.deepEqual(await decode(frames, "zstd", 6), { body: Buffer.from("abcdef"), truncated: null });
  assert.deepEqual(await decode(frames, "zstd", 5), { body: Buffer.from("abcde"), truncated: "decoded" });
  assert.deepEqual(await decode(frames, "zstd", 3), { body: Buffer.from("abc"), truncated: "decoded" });
});

test("a body that ends early gives what there is, and says so", async () => {
  for (const size of [60_000, 600_000]) {
    const body = text(size);
    for (const [name, compress] of Object.entries(COMPRESS)) {
      const whole = compress(body);
      const coding = name.split(" ")[0]!;
      const cut = whole.subarray(0, whole.length >> 1);
      // A zstd block comes out whole or not at all, and holds 128 KB.
      if (name === "zstd" && size < 128_000) {
        await refuses(decode(cut, coding));
        continue;
      }
      const decoded = await decode(cut, coding);
      assert.equal(decoded.truncated, "encoding", name);
      assert.ok(decoded.body.length > 1_000, name);
      assert.ok(body.subarray(0, decoded.body.length).equals(decoded.body), name);
      // When we ourselves stopped reading, that is said elsewhere.
      assert.equal((await decode(cut, coding, CAP, true)).truncated, null, name);
    }
  }
});

test("garbage after the end is passed over, as browsers do", async () => {
  for (const [name, compress] of Object.entries(COMPRESS)) {
    const body = Buffer.concat([compress(Buffer.from("page")), Buffer.from("<!-- cached -->")]);
    assert.equal((await decode(body, name.split(" ")[0]!)).body.toString(), "page", name);
  }
});

test("a body that is not what it says is refused", async () => {
  const plain = Buffer.from("<!doctype html><p>not compressed</p>");
  for (const coding of ["gzip", "deflate", "br", "zstd"]) await refuses(decode(plain, coding));
  const broken = gzipSync(text(50_000));
  broken.fill(0xff, 1_000, 1_100);
  await refuses(decode(broken, "gzip"));
  const brokenLarge = gzipSync(text(600_000));
  brokenLarge.fill(0xff, 1_000, 1_100);
  await refuses(decode(brokenLarge, "gzip"));
  await refuses(decode(gzipSync("page").subarray(0, 5), "gzip"));
});

test("a zstd window over 8 MB and a flood of frames are refused", async () => {
  const wide = zstdCompressSync(text(9 << 20), { params: { [constants.ZSTD_c_windowLog]: 25 } });
  await refuses(decode(wide, "zstd", 64 << 20));
  const flood = Buffer.concat(new Array<Buffer>(2_000).fill(zstdCompressSync("")));
  await refuses(decode(flood, "zstd"));
});

test("gzip sent as deflate is understood", async () => {
  assert.equal((await decode(gzipSync("page"), "deflate")).body.toString(), "page");
});

test("any bytes decode under the cap or are refused, in any coding", async () => {
  const coding = fc.constantFrom("gzip", "deflate", "br", "zstd", "gzip, br");
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.constantFrom(...Object.values(COMPRESS)), fc.uint8Array(), fc.nat(60), fc.nat(255))
      .map(([compress, body, at, value]) => {
        const out = Buffer.from(compress(Buffer.from(body)));
        if (at < out.length) out[at] = value;
        return out;
      }),
  );
  await fc.assert(
    fc.asyncProperty(bytes, coding, fc.boolean(), async (input, header, partial) => {
      try {
        assert.ok((await decode(Buffer.from(input), header, 50, partial)).body.length <= 50);
      } catch (error) {
        assert.ok(error instanceof FetchError, String(error));
      }
    }),
    { numRuns: 400 },
  );
});
