import assert from "node:assert/strict";
import { test } from "node:test";
import * as areas from "../../app/operations/index.ts";
import { ERRORS } from "../../errors.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";
import { ROUTES } from "./routes.ts";
import { fakeApp, fakeServer } from "./testing/fake-app.ts";

const document = openApiDocument("1.2.3");
const described = Object.values(document.paths!).flatMap((methods) => Object.values(methods as object));

/** The seed's endpoints. */
const SEED = [
  "get /health",
  "get /version",
  "get /projects",
  "get /projects/{id}/crawls",
  "delete /projects/{id}",
  "get /crawls/{id}",
  "delete /crawls/{id}",
  "get /crawls/{id}/pages/{url}/links",
  "post /crawl",
  "post /stop-crawl/{projectID}",
  "get /active-crawls",
  "get /config",
  "put /config",
];

test("the seed's endpoints are there to the letter", () => {
  const paths = ROUTES.map(({ method, path }) => `${method} ${path}`);
  for (const path of SEED) assert.ok(paths.includes(path), path);
});

test("every operation has one route, and every route one entry", () => {
  const operations = Object.values(areas)
    .flatMap((area): unknown[] => Object.values(area))
    .filter((one): one is { name: string } => typeof one === "object" && one !== null && "run" in one);
  const routed = ROUTES.map(({ operation }) => operation.name);
  assert.deepEqual([...routed].sort(), operations.map(({ name }) => name).sort());
  assert.equal(new Set(routed).size, routed.length);
  for (const name of routed) assert.equal(described.filter(({ operationId }) => operationId === name).length, 1, name);
});

test("every entry tells its errors, and every reference leads somewhere", () => {
  for (const { operationId, summary, responses } of described) {
    assert.ok(summary, operationId);
    for (const status of [401, 403, 422, 429, 500, 503]) {
      assert.ok(responses[status].content["application/problem+json"], `${operationId} ${status}`);
    }
    assert.equal(responses.default, undefined, "an answer that nobody described");
  }
  const text = JSON.stringify(document);
  const schemas = document.components!.schemas!;
  for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) assert.ok(schemas[name!], name);
  assert.equal(document.openapi, "3.1.0");
});

test("settings have no keyword that JSON Schema does not know", () => {
  const { properties } = document.components!.schemas!["Settings"] as { properties: Record<string, object> };
  const standard =
    /^(x-\w+|type|anyOf|description|default|enum|items|\w*(?:Length|Items|imum|Properties|Names)|format|pattern|\$ref|exclusive\w+)$/;
  const names = new Set(Object.values(properties).flatMap((schema) => Object.keys(schema)));
  assert.ok(names.has("x-group") && names.has("description"));
  assert.deepEqual(
    [...names].filter((name) => !standard.test(name)),
    [],
  );
});

test("parameters are named by their path, and say what they are for", () => {
  const urls = described.find(({ operationId }) => operationId === "listUrls");
  const places = Object.fromEntries(
    urls.parameters.map((one: { name: string; in: string; required?: boolean }) => [one.name, [one.in, one.required]]),
  );
  assert.deepEqual(places["id"], ["path", true]);
  assert.deepEqual(places["filter"], ["query", false]);
  assert.match(JSON.stringify(urls.parameters), /FIELD OPERATOR VALUE/);
});

test("the page for people names every operation and error, and holds no script of its own", async () => {
  const page = String(await docsPage(document, ERRORS));
  for (const { operationId } of described) assert.ok(page.includes(`id="${operationId}"`), operationId);
  for (const code of Object.keys(ERRORS)) assert.ok(page.includes(`id="${code}"`), code);
  assert.doesNotMatch(page, /<script(?! src="\/docs\.js")|onclick=|(?:src|href)="(?:https?:)?\/\//);
  const { ask } = fakeServer(fakeApp());
  assert.match((await ask("/docs")).headers.get("content-type")!, /^text\/html/);
  assert.match((await ask("/docs.js")).headers.get("content-type")!, /^text\/javascript/);
  assert.equal(((await (await ask("/openapi.json")).json()) as { info: { version: string } }).info.version, "1.2.3");
});
