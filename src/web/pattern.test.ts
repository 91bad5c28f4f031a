import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { urlPattern } from "./pattern.ts";

test("what varies from page to page becomes a letter", () => {
  const cases: [string, string][] = [
    ["/", "/"],
    ["/about/team", "/about/team"],
    ["/calendar/2024/05?view=week", "/calendar/N/N?view=*"],
    ["/blog/2024-05-17/title", "/blog/D/title"],
    ["/blog/2024-5-7", "/blog/D"],
    ["/blog/2024-99-17", "/blog/N-N-N"],
    ["/page12.html", "/pageN.html"],
    ["/item-123-blue", "/item-N-blue"],
    ["/p/550e8400-e29b-41d4-a716-446655440000/x", "/p/H/x"],
    ["/p/550e8400-e29b-41d4-a716-44665544000g/x", "/p/H-eNb-NdN-aN-Ng/x"],
    ["/commit/9fceb02d0ae598e95dc970b74767f19372d61af8", "/commit/H"],
    ["/face/decade", "/face/decade"],
    ["/%E3%81%82/%E3%81%84", "/%E3%81%82/%E3%81%84"],
    ["/s?b=2&a=x&a=y&c&d=&e=2024-05-17&f=deadbeef01", "/s?a=*&b=N&c&d=&e=D&f=H"],
    ["/s?filter[12]=1&filter[7]=2", "/s?filter[N]=N"],
  ];
  for (const [path, expected] of cases) assert.equal(urlPattern(`https://e.example:81${path}`), expected, path);
});

test("a pattern is its own pattern, and numbers and the order of parameters never tell two apart", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", "f", "1", "9", "/", "-", "%", "=", "&", ".", "_"),
    maxLength: 30,
  });
  fc.assert(
    fc.property(text, text, fc.nat(), fc.nat(), (path, query, first, second) => {
      const shape = urlPattern(`https://e.example/${path}?${query}`);
      assert.equal(urlPattern(`https://e.example${shape}`), shape);
      const withNumber = (number: number) => urlPattern(`https://e.example/${path}/${number}?n=${number}`);
      assert.equal(withNumber(first), withNumber(second));
      const pairs = query.split("&");
      assert.equal(urlPattern(`https://e.example/${path}?${pairs.toReversed().join("&")}`), shape);
    }),
    { numRuns: 2000 },
  );
});
