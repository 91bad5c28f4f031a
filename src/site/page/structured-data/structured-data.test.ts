import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { visibleNumbers } from "../visible-numbers.ts";
import { parseLeniently } from "./lenient-json.ts";
import { StructuredData } from "./structured-data.ts";

const problemsOf = (data: object | string, text = ""): string[] => {
  const structured = new StructuredData();
  structured.add(typeof data === "string" ? data : JSON.stringify(data));
  structured.compareWith(Buffer.from(text));
  return structured.problems?.split("\n") ?? [];
};

describe("structured data", () => {
  it("JSON with common mistakes is read, and said to have them", () => {
    assert.deepEqual(parseLeniently('{"a": [1, 2,], // two\n "b": "x\ny", /* three */ "c": "http://d",};'), {
      a: [1, 2],
      b: "x\ny",
      c: "http://d",
    });
    assert.deepEqual(parseLeniently("{&quot;a&quot;: &quot;b &amp; c&quot;}"), { a: "b & c" });
    assert.throws(() => parseLeniently('{"a": '));
    assert.match(problemsOf('{"@type":"Thing","name":"A",}')[0]!, /^recovered /);
    assert.match(problemsOf('{"@type": Thing}')[0]!, /^parse_error /);
  });

  it("types and properties that schema.org does not have; other vocabularies are left alone", () => {
    assert.deepEqual(problemsOf({ "@type": "Thing", nmae: "A", "foaf:name": "A" }), ["unknown property Thing.nmae"]);
    assert.deepEqual(problemsOf({ "@type": "Thng", nmae: "A" }), ["unknown type Thng"]);
    assert.deepEqual(problemsOf({ "@type": "https://example.org/Boat", sails: 3 }), []);
    const search = { "@type": "SearchAction", target: "https://a.test/?q={q}", "query-input": "required name=q" };
    assert.deepEqual(problemsOf({ "@type": "WebSite", potentialAction: search }), []);
  });

  it("values of another kind than the property expects", () => {
    assert.deepEqual(problemsOf({ "@type": "Person", birthDate: "18 November" }), [
      "wrong_value Person.birthDate: “18 November” is not a date as in 2026-11-18",
    ]);
    assert.deepEqual(problemsOf({ "@type": "Person", birthDate: { "@value": "1990-01-01" } }), []);
    assert.deepEqual(problemsOf({ "@type": "Question", answerCount: "many" }), [
      "wrong_value Question.answerCount: “many” is not a number",
    ]);
    assert.deepEqual(problemsOf({ "@type": "Question", answerCount: "3" }), []);
  });

  it("prices and ratings that the text does not show", () => {
    const offer = { "@type": "Offer", price: 1299 };
    assert.deepEqual(problemsOf(offer, "Now 1.199,00 €"), ["not_visible Offer.price 1299"]);
    for (const text of ["1,299.00", "1.299,00", "1 299", "1299", "1’299.-"])
      assert.deepEqual(problemsOf(offer, text), []);
    assert.deepEqual([...visibleNumbers(Buffer.from("4,5 of 5"))], [4.5, 5]);
  });
});
