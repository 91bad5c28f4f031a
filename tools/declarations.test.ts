import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readDoor, splitStatements } from "./declarations.ts";

const door = (files: Record<string, string>) => {
  const { exported, reached } = readDoor("index.d.ts", (path) => files[path] ?? null);
  return {
    exported: exported.map(({ name, declaration }) => [name, declaration.text]),
    reached: reached.map(({ name, text }) => [name, text]),
  };
};

test("a declaration is found through any chain of re-exports", () => {
  const files = {
    "index.d.ts": 'export { type A, b as c } from "./one.ts";\nexport * from "./app/two.js";\n',
    "one.d.ts": 'import { b } from "./app/two.js";\nexport interface A { x: 1; }\nexport { b };\n',
    "app/two.d.ts": "export declare const b: number;\nexport type D = string;\n",
  };
  assert.deepEqual(door(files), {
    exported: [
      ["A", "interface A { x: 1; }"],
      ["D", "type D = string;"],
      ["b", "const b: number;"],
      ["c", "const b: number;"],
    ],
    reached: [],
  });
});

test("types that exported ones lean on are shown, however far they are, and once", () => {
  const files = {
    "index.d.ts": 'export { f } from "./f.ts";',
    "f.d.ts":
      'import type { G } from "./g.ts";\nimport type { Socket } from "node:net";\nexport declare function f(g: G, s: Socket): G;\n',
    "g.d.ts": "export interface G { h: H; }\ninterface H { g: G; }\ninterface Unused {}\n",
  };
  assert.deepEqual(door(files).reached, [
    ["G", "interface G { h: H; }"],
    ["H", "interface H { g: G; }"],
  ]);
});

test("overloads belong together; comments, private members and messages are left out", () => {
  const files = {
    "index.d.ts": `/** Why. */
export declare class Run {
    #private;
    private constructor();
    /** Not this. */
    stop(): Promise<void>;
}
export declare function f(a: 1): 1;
export declare function f(a: 2): 2;
export declare const TABLE: {
    readonly A: "a text for people";
    readonly B: "a-code";
    readonly C: "one" | "two";
};
`,
  };
  assert.deepEqual(door(files).exported, [
    ["Run", "class Run {\n  stop(): Promise<void>;\n}"],
    ["TABLE", 'const TABLE: {\n  readonly A: string;\n  readonly B: "a-code";\n  readonly C: "one" | "two";\n};'],
    ["f", "function f(a: 1): 1;\nfunction f(a: 2): 2;"],
  ]);
});

test("what stands in texts and comments neither opens nor ends a statement", () => {
  const statement = fc.constantFrom(
    'type A = "};" | `{;`;',
    "interface B { c: { d: (e: { f: 1 }) => void; }; }",
    "declare class C<T extends { a: 1 }> { b(): (t: T) => Promise<T>; }",
    'export { a, type b as c } from "./x.ts";',
    "declare const d: readonly [1, { e: 2; }];",
  );
  const comment = fc.constantFrom("", "// { ;\n", "/* } \n { */ ", "\n\n");
  fc.assert(
    fc.property(fc.array(fc.tuple(comment, statement)), (parts) => {
      const text = parts.map(([before, one]) => `${before}${one}\n`).join("");
      assert.deepEqual(
        splitStatements(text),
        parts.map(([, one]) => one),
      );
    }),
  );
});

test("any text at all is read to its end", () => {
  fc.assert(fc.property(fc.string(), (text) => Array.isArray(splitStatements(text))));
});
