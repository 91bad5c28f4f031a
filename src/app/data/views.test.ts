import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../kernel/clock.ts";
import type { View } from "../operations/views.ts";
import { temporaryCrawls, temporaryHome } from "../testing/small-site.ts";
import { Views } from "./views.ts";

const view = (over: Partial<View> = {}): View => ({
  name: "Broken",
  fields: ["url", "status"],
  filter: ["status>=400"],
  search: null,
  sort: "-status",
  ...over,
});

test("views: saved, replaced by name, listed by name, and there for the next process", (t) => {
  const home = temporaryHome(t);
  const views = new Views(temporaryCrawls(t, home).registry.db, systemClock);
  const first = views.save(view());
  views.save(view({ name: "all", filter: [], sort: null }));
  const again = views.save(view({ search: "shop" }));
  assert.equal(again.id, first.id);
  const later = new Views(temporaryCrawls(t, home).registry.db, systemClock);
  assert.deepEqual(
    later.list().map(({ name, search }) => [name, search]),
    [
      ["all", null],
      ["Broken", "shop"],
    ],
  );
  assert.deepEqual(later.list()[1], again);
  assert.deepEqual(later.remove(first.id), { done: true });
  assert.throws(() => views.remove(first.id), { code: "VIEW_NOT_FOUND" });
  assert.equal(views.list().length, 1);
});

test("views: one that could not be shown is refused", (t) => {
  const views = new Views(temporaryCrawls(t).registry.db, systemClock);
  for (const wrong of [
    { fields: ["url", "colour"] },
    { sort: "-colour" },
    { filter: ["colour=red"] },
    { filter: ["?"] },
  ]) {
    assert.throws(() => views.save(view(wrong)), { code: "BAD_USAGE" }, JSON.stringify(wrong));
  }
  assert.deepEqual(views.list(), []);
});

test("views: they cannot fill or freeze the server", (t) => {
  const views = new Views(temporaryCrawls(t).registry.db, systemClock);
  const costly = Array.from({ length: 50 }, (_, index) => `url=~${index}\\pL{1,900}`);
  for (const large of [{ search: "x".repeat(30_000) }, { filter: costly }, { filter: ["url=~(ab|c)".repeat(3_000)] }]) {
    assert.throws(() => views.save(view(large)), { code: "BAD_USAGE", message: /too large/ });
  }
  for (let count = 0; count < 500; count++) views.save(view({ name: `${count}` }));
  assert.throws(() => views.save(view({ name: "one more" })), { code: "BAD_USAGE", message: /500 views/ });
  views.save(view({ name: "7", search: "replaced" }));
  assert.equal(views.list().length, 500);
});
