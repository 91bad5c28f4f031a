/** Whatever is sent, the answer is one that the OpenAPI document lists, and the server never fails. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { startFleet } from "../../src/app/fleet/start.ts";
import { type RunningDemoSite, startDemoSite } from "../../src/demo/index.ts";
import { TestPostgres } from "../../src/fleet/testing/postgres-server.ts";
import { openApiDocument } from "../../src/transports/http/openapi.ts";
import { API_ROOT, hasBody, pathNames, ROUTES, type Route } from "../../src/transports/http/routes.ts";
import { knownArchive } from "../archive/known-archive.ts";
import { knownRepoArchive } from "../atproto/known-repo-archive.ts";
import { answerChecks } from "./answer-schema.ts";
import { type Serving, startServing } from "./serving.ts";

const document = openApiDocument("1.2.3");
/** How zod words what is wrong: for programmers. */
const ZOD = /Invalid (?:input|option)|Too (?:small|big)|Unrecognized key|expected \w+/;
const FLEET = "fuzzed";
type Described = { operationId: string; responses: Record<string, { "x-codes"?: string[] }> };
const check = answerChecks(JSON.parse(JSON.stringify(document)));
let serving: Serving;
let site: RunningDemoSite;
/** What ends after the server, the last first. */
const ends: (() => unknown)[] = [];
/** A crawl, an archive and an AT Protocol archive, each with the number 1, and a fleet crawl where there is PostgreSQL. */
before(async () => {
  const postgres = await TestPostgres.start();
  ends.push(() => postgres?.stop());
  [site, serving] = await Promise.all([startDemoSite(), startServing({}, true, postgres?.url ?? null)]);
  ends.push(() => site.close());
  const { crawlId } = await serving.crawl({ url: site.url, settings: { maxUrls: 20, storeHtml: true } });
  const archive = knownArchive(serving.app.home.root, site.url);
  ends.push(() => archive.remove());
  const repos = await knownRepoArchive({ after: (end) => void ends.push(end) }, serving.app.home.root);
  assert.deepEqual([crawlId, archive.id, repos.id], [1, 1, 1]);
  if (postgres === null) return;
  const settings = { audit: false };
  await startFleet({ name: FLEET, postgres: postgres.url, urls: [site.url], list: null, settings });
});
after(async () => {
  // Also when one of them could not start: an open server would keep this file from ending.
  await serving?.close();
  for (const end of ends.reverse()) await end();
});

const odd = fc.constantFrom(
  "",
  "0",
  "-1",
  "1",
  "99999",
  "9".repeat(30),
  "1e3",
  "null",
  "%00",
  "\u0000",
  "../..",
  "‮",
  "'--",
  "{}",
);
const text = fc.oneof(
  odd,
  fc.string(),
  fc.string({ unit: "binary" }).filter((value) => value.isWellFormed()),
);
/** Most numbers do not exist; 1 is an existing crawl, which must not be deleted by accident. */
const number = (route: Route) =>
  fc.constantFrom("0", "-1", "1.5", "99999", ...(route.operation.kind === "destroy" ? [] : ["1", "1"]));
/** Not "." and "..", which are not path segments. */
const part = text.filter((value) => value !== "" && value !== "." && value !== "..");

/** A valid body would start crawls and network requests: these keep it invalid. */
const NEVER: Record<string, object> = {
  startCrawl: { settings: { nonsense: 1 } },
  testRules: { settings: { nonsense: 1 } },
};

function request(route: Route): fc.Arbitrary<{ path: string; body?: unknown }> {
  const names = Object.keys(route.operation.input.shape);
  const inPath = pathNames(route.path);
  const rest = names.filter((name) => !inPath.includes(name)).concat("unknown");
  const values = <Value>(value: fc.Arbitrary<Value>) =>
    fc.record(Object.fromEntries(rest.map((name) => [name, value])), { requiredKeys: [] });
  return fc
    .record({
      path: fc.record(
        Object.fromEntries(
          inPath.map((name) => [
            name,
            fc.oneof(
              part.filter((one) => one !== "1"),
              ...(name === "name" ? [fc.constant(FLEET)] : [number(route)]),
            ),
          ]),
        ),
      ),
      query: values(text),
      body: fc.oneof(values(fc.jsonValue({ maxDepth: 2 })), fc.jsonValue({ maxDepth: 1 })),
    })
    .map(({ path, query, body }) => {
      const filled = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]!));
      if (!hasBody(route.method)) return { path: `${filled}?${new URLSearchParams(query as Record<string, string>)}` };
      const never = NEVER[route.operation.name];
      return { path: filled, body: never === undefined ? body : { ...(body as object), ...never } };
    });
}

for (const route of ROUTES) {
  test(`${route.operation.name} takes anything`, async () => {
    await fc.assert(
      fc.asyncProperty(request(route), async ({ path, body }) => {
        const answer = await serving.ask(route.method.toUpperCase(), path, body);
        assert.ok(
          answer.status < 500,
          `${answer.status} ${path} ${JSON.stringify(body)} ${String(serving.internal.at(-1))}`,
        );
        const type = answer.status === 200 ? "application/json" : "application/problem+json";
        assert.equal(answer.type.split(";")[0], type);
        check(API_ROOT + route.path, route.method, answer.status, type)(answer.body);
        if (answer.status === 200) return;
        assert.equal(answer.body["status"], answer.status);
        assert.doesNotMatch(String(answer.body["detail"]), ZOD);
        const { responses } = Object.values(document.paths!)
          .flatMap((methods) => Object.values(methods as Record<string, Described>))
          .find(({ operationId }) => operationId === route.operation.name)!;
        const codes = responses[answer.status]?.["x-codes"] ?? [];
        assert.ok(
          codes.includes(answer.body["code"] as string),
          `not documented: ${answer.status} ${answer.body["code"]}`,
        );
      }),
      { numRuns: 40 },
    );
  });
}
