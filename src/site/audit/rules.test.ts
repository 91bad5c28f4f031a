/** Every rule fires where it should, and nowhere else: on the site of its own fixture, and on no healthy site. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { RULE_GROUPS, RULES, THRESHOLDS } from "./rule-table.ts";
import { type AuditedSite, auditSites, originOf, outsideOf } from "./testing/audit-sites.ts";
import type { Fixture } from "./testing/fixture.ts";
import { FIXTURES } from "./testing/fixtures.ts";
import { page } from "./testing/healthy-page.ts";
import { healthySite } from "./testing/healthy-site.ts";

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-audit-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const hostName = (rule: string, which: "fires" | "silent"): string => `${rule.replaceAll(/[._]/g, "-")}-${which}`;
type Facts = AuditedSite["facts"];
const siteOf = (rule: string, fixture: Fixture, which: "fires" | "silent"): AuditedSite => ({
  name: hostName(rule, which),
  site: fixture[which],
  facts: fixture.facts?.[which] as Facts,
  rendered: fixture.rendered?.[which] as Facts,
  field: fixture.field?.[which] as Facts,
  at: fixture.at ?? "/",
  sql: which === "fires" ? fixture.sql : undefined,
  earlier: which === "fires" ? fixture.earlier : undefined,
});
/** Where the finding is expected. */
const placeOf = (name: string, at: string): string =>
  at
    .replace("{out}", outsideOf(name))
    .replace("{gone}", `https://gone--${name}.audit.test`)
    .replace("{http}", `http://${name}.audit.test`)
    .replace(/^\//, `${originOf(name)}/`);

describe("audit rules", () => {
  it("every rule has a fixture that fires and one that does not, and says all that it has to say", () => {
    assert.deepEqual(Object.keys(FIXTURES).sort(), RULES.map(({ id }) => id).sort());
    for (const { id, name, why, fix, link } of RULES) {
      assert.match(id, /^[a-z0-9]+\.[a-z0-9_]+$/, id);
      for (const text of [why, fix]) assert.match(text, /^[A-Z“].*\.$/, `${id}: ${text}`);
      assert.ok(name.length > 3 && !name.endsWith("."), id);
      assert.match(link, /^https:\/\//, id);
    }
    const thresholds = RULES.flatMap((rule) => Object.keys(rule.thresholds));
    assert.equal(new Set(thresholds).size, thresholds.length, "a threshold belongs to one rule");
    assert.equal(thresholds.length, Object.keys(THRESHOLDS).length);
    assert.equal(new Set(RULES.map(({ id }) => id)).size, RULES.length);
  });

  for (const { name, rules } of RULE_GROUPS) {
    it(`${name}: each rule fires on its fixture, and not on the other one`, async (t) => {
      const sites = rules.flatMap(({ id }) => [
        siteOf(id, FIXTURES[id]!, "fires"),
        siteOf(id, FIXTURES[id]!, "silent"),
      ]);
      const found = await auditSites(t, temporaryFolder(t), sites);
      const problems = rules.flatMap(({ id }) => {
        const { at = "/" } = FIXTURES[id]!;
        const own = found.filter(({ rule }) => rule === id);
        const wanted = placeOf(hostName(id, "fires"), at);
        const silent = new RegExp(`//((out|gone)--)?${hostName(id, "silent")}\\.`);
        const wrong = own.filter(({ url }) => silent.test(url));
        return [
          ...(own.some(({ url }) => url === wanted) ? [] : [`${id} does not fire at ${wanted}`]),
          ...wrong.map(({ url, evidence }) => `${id} fires at ${url}: ${evidence}`),
        ];
      });
      assert.deepEqual(problems, []);
    });
  }

  it("a canonical that is not an address on the web counts as none", async (t) => {
    const site = { "/": page({ canonical: "file:///srv/www/index.html" }) };
    const found = await auditSites(t, temporaryFolder(t), [{ name: "files", at: "/", site }]);
    assert.deepEqual(
      found.filter(({ rule }) => rule.startsWith("can.")).map(({ rule, evidence }) => [rule, evidence]),
      [["can.missing", "not an address on the web: file:///srv/www/index.html"]],
    );
  });

  it("nothing is found on a healthy site of 50 pages", async (t) => {
    const found = await auditSites(t, temporaryFolder(t), [{ name: "healthy", at: "/", site: healthySite(50) }]);
    assert.deepEqual(found, []);
  });
});
