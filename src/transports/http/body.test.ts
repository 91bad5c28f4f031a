import assert from "node:assert/strict";
import { test } from "node:test";
import { TrawlError } from "../../errors.ts";
import { MAX_BODY_BYTES, readBodyText, withReadBody } from "./body.ts";

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
  assert.equal(await readBodyText(request("грüße 🐟")), "грüße 🐟");
  assert.equal(await readBodyText(new Request("http://localhost/")), "");
  const large = new Request("http://localhost/", {
    method: "POST",
    body: "",
    headers: { "content-length": String(MAX_BODY_BYTES + 1) },
  });
  await assert.rejects(readBodyText(large), isTooLarge);
});

test("a body without end is read up to the limit", async () => {
  const first = endless();
  await assert.rejects(readBodyText(first.request), isTooLarge);
  assert.ok(first.sent.bytes < MAX_BODY_BYTES + 1_000_000);
  await assert.rejects(withReadBody(endless().request), isTooLarge);
});

test("a request that is handed on keeps what it says", async () => {
  const given = new Request("http://localhost/mcp", { method: "POST", body: "{}", headers: { "x-a": "1" } });
  const handed = await withReadBody(given);
  assert.deepEqual(
    [handed.method, handed.url, handed.headers.get("x-a"), await handed.text()],
    ["POST", given.url, "1", "{}"],
  );
  assert.equal((await withReadBody(new Request("http://localhost/mcp"))).method, "GET");
});
