import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { TrawlError } from "../../errors.ts";
import { LIMITS } from "./limits.ts";
import { readBodyText, readTexts, withReadBody } from "./read-input.ts";

test("texts become what the schema asks for", () => {
  assert.equal(readTexts(z.int().min(1).default(5), ["12"]), 12);
  assert.equal(readTexts(z.int().nullable().default(null), [""]), null);
  assert.equal(readTexts(z.string().nullable().default(null), [""]), null);
  assert.equal(readTexts(z.string(), [""]), "");
  assert.equal(readTexts(z.boolean().default(true), ["false"]), false);
  assert.deepEqual(readTexts(z.array(z.string()), ["a,b", "c"]), ["a,b", "c"]);
  assert.deepEqual(readTexts(z.array(z.string()).default([]), ["a, b", "c", ""], true), ["a", "b", "c"]);
  assert.deepEqual(readTexts(z.array(z.int()), ["1", "2"]), [1, 2]);
});

test("what does not fit stays as it was given, for validation to name", () => {
  for (const text of ["", " 1", "1e3", "0x10", "Infinity", "NaN", "١", "1,5", "true"]) {
    assert.equal(readTexts(z.int(), [text]), text);
  }
  assert.equal(readTexts(z.boolean(), ["1"]), "1");
  assert.deepEqual(readTexts(z.int(), ["1", "2"]), ["1", "2"]);
});

test("every number, switch and list comes back as it was written", () => {
  const schema = z.object({ number: z.int(), flag: z.boolean(), texts: z.array(z.string().min(1)) });
  const value = fc.record({
    number: fc.maxSafeInteger(),
    flag: fc.boolean(),
    texts: fc.array(fc.string({ minLength: 1 })),
  });
  fc.assert(
    fc.property(value, (given) => {
      const read = Object.fromEntries(
        Object.entries(given).map(([name, one]) => [
          name,
          readTexts(schema.shape[name as keyof typeof given], [one].flat().map(String)),
        ]),
      );
      assert.deepEqual(schema.parse(read), { ...given });
    }),
  );
});

const { bytes } = LIMITS.body;
const isTooLarge = (error: unknown): boolean => error instanceof TrawlError && error.code === "BODY_TOO_LARGE";

/** A body without a length, which goes on until somebody stops reading. */
function endless() {
  const sent = { bytes: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent.bytes += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  const request = new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
  return { request, sent };
}

test("a body is read whole, in any language, or not at all", async () => {
  const request = (body: string) => new Request("http://localhost/", { method: "POST", body });
  assert.equal(await readBodyText(request("грüße 🐟"), bytes), "грüße 🐟");
  assert.equal(await readBodyText(new Request("http://localhost/"), bytes), "");
  const large = new Request("http://localhost/", {
    method: "POST",
    body: "",
    headers: { "content-length": String(bytes + 1) },
  });
  await assert.rejects(readBodyText(large, bytes), isTooLarge);
});

test("a body without end is read up to the limit", async () => {
  const first = endless();
  await assert.rejects(readBodyText(first.request, bytes), isTooLarge);
  assert.ok(first.sent.bytes < bytes + 1_000_000);
  await assert.rejects(withReadBody(endless().request, LIMITS.body), isTooLarge);
});

test("a request that is handed on keeps what it says", async () => {
  const given = new Request("http://localhost/mcp", { method: "POST", body: "{}", headers: { "x-a": "1" } });
  const handed = await withReadBody(given, LIMITS.body);
  assert.deepEqual(
    [handed.method, handed.url, handed.headers.get("x-a"), await handed.text()],
    ["POST", given.url, "1", "{}"],
  );
  assert.equal((await withReadBody(new Request("http://localhost/mcp"), LIMITS.body)).method, "GET");
});

test("JSON for another handler is measured before that handler parses it", async () => {
  const deep = new Request("http://localhost/mcp", { method: "POST", body: "[".repeat(500_000) });
  await assert.rejects(withReadBody(deep, LIMITS.body), /nested more than 32 levels/);
});

test("a client that leaves before its body is complete is not reported as an error of the server", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("aborted")) });
  const request = new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
  await assert.rejects(
    readBodyText(request, 100),
    (error) => error instanceof TrawlError && error.code === "BAD_INPUT",
  );
});
