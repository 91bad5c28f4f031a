import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { TrawlError } from "../../../errors.ts";
import { FIELD_NAMES } from "../../facts/fact-fields.ts";
import { siteDatabase } from "../../testing/site-database.ts";
import { SiteReader } from "../reader.ts";
import { parseFilter } from "./filter.ts";

describe("filters", () => {
  const path = siteDatabase({ after: (clean) => process.once("exit", clean as () => void) }, [
    { url: "https://example.com/", page: { status: 200, title: "Home", description: "", word_count: 10 } },
    { url: "https://example.com/Shop", page: { status: 404, title: "Not here", word_count: 3 } },
    { url: "https://example.com/moved", page: { status: 301 } },
    { url: "https://example.com/down", state: "failed", page: { error: "reset" } },
    { url: "https://other.test/", verdict: "record", reason: "external" },
  ]);
  const reader = new SiteReader(path);
  const matched = (...filters: string[]) =>
    [...reader.each({ fields: ["url"], filters, search: null })].map((row) => new URL(row["url"] as string).pathname);

  const cases: [filter: string, paths: string[]][] = [
    ["status=404", ["/Shop"]],
    ["status=4xx", ["/Shop"]],
    ["status = 4XX", ["/Shop"]],
    ["status!=4xx", ["/", "/moved", "/down", "/"]],
    ["status!=404", ["/", "/moved", "/down", "/"]],
    ["status>=300", ["/Shop", "/moved"]],
    ["status<300", ["/"]],
    ["status>200", ["/Shop", "/moved"]],
    ["status<=301", ["/", "/moved"]],
    ["status=", ["/down", "/"]],
    ["status!=", ["/", "/Shop", "/moved"]],
    ["status~40", ["/Shop"]],
    ["title~HOME", ["/"]],
    ["title!~home", ["/Shop", "/moved", "/down", "/"]],
    ["title=Home", ["/"]],
    ["title=home", []],
    ["title!=Home", ["/Shop", "/moved", "/down", "/"]],
    ["title=", ["/moved", "/down", "/"]],
    ["description=", ["/", "/Shop", "/moved", "/down", "/"]],
    ["error=reset", ["/down"]],
    ["reason=external", ["/"]],
    ["reason!=external", ["/", "/Shop", "/moved", "/down"]],
    ["verdict=record", ["/"]],
    ["via=spider", ["/", "/Shop", "/moved", "/down", "/"]],
    ["kind=image", []],
    ["titleLength>4", ["/Shop"]],
    ["wordCount=3", ["/Shop"]],
    ["url~other", ["/"]],
    ["internal=false", ["/"]],
    ["internal=No", ["/"]],
    ["internal!=true", ["/"]],
    ["internal=YES", ["/", "/Shop", "/moved", "/down"]],
    ["orphan=true", []],
    ["title_length>4", ["/Shop"]],
    ["  title  =  Home  ", ["/"]],
    ["title^=ho", ["/"]],
    ["title^=home and more", []],
    ["title!^=Ho", ["/Shop", "/moved", "/down", "/"]],
    ["url$=SHOP", ["/Shop"]],
    ["title!$=here", ["/", "/moved", "/down", "/"]],
    ["url^=https://other", ["/"]],
    ["status^=4", ["/Shop"]],
    ["url=~/(shop|moved)$", ["/Shop", "/moved"]],
    ["url!=~example\\.com", ["/"]],
    ["title=~^N.t h", ["/Shop"]],
    ["title=~.", ["/", "/Shop"]],
    ["status=404 || error=reset", ["/Shop", "/down"]],
    ["title=Home || status>=300 || url~other", ["/", "/Shop", "/moved", "/"]],
    ["title=Home || garden", []],
    ["issue=", ["/", "/Shop", "/moved", "/down", "/"]],
    ["issue!=", []],
    ["issue=title.missing", []],
    ["issue!=error", ["/", "/Shop", "/moved", "/down", "/"]],
  ];
  for (const [filter, paths] of cases) it(filter, () => assert.deepEqual(matched(filter), paths));

  it("all must hold", () => {
    assert.deepEqual(matched("status>=300", "title="), ["/moved"]);
  });

  it("an operator inside the value belongs to the value", () => {
    assert.deepEqual(parseFilter("title=a=b>c").values, ["a=b>c"]);
    assert.deepEqual(parseFilter("title~<>").values, ["<>"]);
    assert.deepEqual(parseFilter("title=Home || Shop").values, ["Home || Shop"]);
  });

  for (const [filter, message] of [
    ["", /does not have the form/],
    ["status", /does not have the form/],
    ["=200", /does not have the form/],
    ["STATUS=200", /There is no field "STATUS"; did you mean status\?/],
    ["isPage=maybe", /isPage is true or false; "maybe" is neither/],
    ["isPage>true", /is not possible; use = or !=/],
    ["statuss=200", /There is no field "statuss"; did you mean status\?/],
    ["constructor=1", /There is no field/],
    ["status=abc", /status is a number; "abc" is not/],
    ["status>", /status is a number; "" is not/],
    ["status>4xx", /is not possible/],
    ["status~4xx", /is not possible/],
    ["title=~(", /regular expression/],
    ["title^=", /needs a value/],
    ["status=404 || nonsense=1", /There is no field "nonsense"/],
    ["issue=title.mising", /There is no audit rule title\.mising.*title\.missing/],
    ["issue~title", /is not possible/],
    ["under~https://example.com/", /is not possible/],
    ["under=docs", /needs the address of a folder/],
  ] as const) {
    it(`"${filter}" is refused with a reason`, () => {
      assert.throws(() => parseFilter(filter), { code: "BAD_USAGE", message });
    });
  }

  it("hostile values are bound, never pasted", () => {
    const values = fc.oneof(
      fc.string(),
      fc.constantFrom("'; DROP TABLE urls; --", '"', "' OR '1'='1", "\0", "?", "x?y"),
    );
    const operators = fc.constantFrom("=", "!=", "~", "!~", ">", "<", ">=", "<=", "^=", "$=", "=~", "!=~");
    fc.assert(
      fc.property(fc.constantFrom(...FIELD_NAMES), operators, values, (field, operator, value) => {
        try {
          const { sql, values: bound } = parseFilter(`${field}${operator}${value}`);
          assert.equal(bound.length, sql.split("?").length - 1);
          assert.ok(matched(`${field}${operator}${value}`).length <= 5);
        } catch (error) {
          assert.ok(error instanceof TrawlError, String(error));
        }
      }),
    );
    assert.equal(matched().length, 5, "the table is still there");
    assert.deepEqual(matched("title=' OR '1'='1"), []);
  });
});
