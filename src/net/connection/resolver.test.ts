import assert from "node:assert/strict";
import { test } from "node:test";
import { FetchError } from "../fetch-errors.ts";
import { requirePublic } from "./address-guard.ts";
import { Resolver } from "./resolver.ts";

const public1 = [{ address: "93.184.216.34", family: 4 }];

test("asks once for many, remembers for a minute, then asks again", async () => {
  let asked = 0;
  let now = 0;
  const resolver = new Resolver(
    async () => {
      asked++;
      return public1;
    },
    () => now,
  );
  assert.equal(resolver.peek("example.com"), null);
  await Promise.all(Array.from({ length: 50 }, () => resolver.resolve("example.com")));
  assert.deepEqual(resolver.peek("example.com"), public1);
  assert.equal(asked, 1);
  now = 60_000;
  await resolver.resolve("example.com");
  assert.equal(asked, 2);
});

test("literal addresses need no question", async () => {
  const resolver = new Resolver(
    () => assert.fail("asked"),
    () => 0,
  );
  assert.deepEqual(await resolver.resolve("::1"), [{ address: "::1", family: 6 }]);
});

test("failures have a code and are not remembered", async () => {
  let answer: () => Promise<typeof public1> = () =>
    Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" }));
  const resolver = new Resolver(
    () => answer(),
    () => 0,
  );
  const code = (expected: string) => (error: unknown) => error instanceof FetchError && error.code === expected;
  await assert.rejects(resolver.resolve("a.test"), code("dns_not_found"));
  answer = () => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" }));
  await assert.rejects(resolver.resolve("a.test"), code("dns_failed"));
  answer = async () => [];
  await assert.rejects(resolver.resolve("a.test"), code("dns_not_found"));
  answer = async () => public1;
  assert.equal(await resolver.resolve("a.test"), public1);
});

test("forgets the oldest of too many names", async () => {
  const resolver = new Resolver(
    async () => public1,
    () => 0,
  );
  for (let index = 0; index <= 10_000; index++) await resolver.resolve(`host-${index}.test`);
  assert.equal(resolver.peek("host-0.test"), null);
  assert.notEqual(resolver.peek("host-10000.test"), null);
});

test("one private address among public ones refuses the name", () => {
  requirePublic(public1);
  assert.throws(
    () => requirePublic([...public1, { address: "10.0.0.1", family: 4 }]),
    (error) =>
      error instanceof FetchError && error.code === "private_address" && /10\.0\.0\.1 is private/.test(error.message),
  );
});
