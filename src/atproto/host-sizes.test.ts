import assert from "node:assert/strict";
import { test } from "node:test";
import { HostSizes, sizeNote } from "./host-sizes.ts";

const HOST = "https://pds.example";

test("accounts that a relay announced are not counted again when they are listed", () => {
  const sizes = new HostSizes();
  const changes: (number | null)[] = [];
  sizes.onChange = (origin) => changes.push(sizes.sizeOf(origin));
  assert.equal(sizes.sizeOf(HOST), null);
  sizes.atLeast(HOST, 60);
  sizes.add(HOST, 40);
  sizes.add(HOST, 20);
  assert.equal(sizes.sizeOf(HOST), 60);
  sizes.add(HOST, 50);
  assert.equal(sizes.sizeOf(HOST), 110);
  assert.deepEqual(changes, [60, 110]);
});

test("a resumed crawl knows the sizes of the earlier one, and lists what is left", () => {
  const sizes = new HostSizes();
  sizes.recover(sizeNote(HOST, 1_200));
  sizes.add(HOST, 30);
  assert.equal(sizes.sizeOf(HOST), 1_200);
});
