/** Damaged requests for a running server: it answers each with JSON or a problem, a short one, and never fails. */

import { hasBody, ROUTES } from "../../src/transports/http/routes.ts";
import { startServing } from "../http/serving.ts";
import { seededRandom } from "../servers/random.ts";
import { mutate } from "./mutate.ts";

export interface RestResult {
  executions: number;
  found: { input: Uint8Array; problem: string }[];
}

/** Settings that are not valid, so that no body starts a crawl. */
const NEVER = { settings: { nonsense: 1 } };
const SEEDS = [
  { url: "https://example.com/", ...NEVER },
  { projectId: 1, cron: "0 6 * * 1", ...NEVER },
  { urls: ["https://example.com/a"], text: "User-agent: *", start: "https://example.com/", ...NEVER },
  { name: "View", fields: ["url"], filter: ["status>=400"], search: null, sort: null },
  { sql: "SELECT count(*) FROM urls" },
].map((body) => Buffer.from(JSON.stringify(body)));
const WORDS = ["{", "[", '"', "null", "__proto__", "settings", "\\u0000", "1e999", "[[[[[[", '"nonsense":1,'].map(
  (word) => Buffer.from(word),
);
/** The longest problem that is useful to anybody. */
const MAX_PROBLEM = 64 << 10;
const MAX_MS = 20_000;

export async function fuzzRest(seed: number, ms: number): Promise<RestResult> {
  const serving = await startServing();
  const random = seededRandom(seed);
  const result: RestResult = { executions: 0, found: [] };
  const until = performance.now() + ms;
  try {
    while (performance.now() < until) {
      const route = ROUTES[random(ROUTES.length)]!;
      const input = mutate(SEEDS[random(SEEDS.length)]!, random, WORDS, SEEDS);
      const filled = route.path.replace(/\{\w+\}/g, () =>
        random(2) === 0 ? "99" : encodeURIComponent(input.toString("latin1", 0, random(40)) || "x"),
      );
      const query = hasBody(route.method)
        ? ""
        : `?${new URLSearchParams([["filter", input.toString("latin1", 0, 500)]])}`;
      const problem = await problemOf(serving, route, filled + query, input);
      result.executions++;
      if (problem !== null) result.found.push({ input, problem: `${route.method} ${filled}: ${problem}` });
      if (result.found.length >= 10) break;
    }
  } finally {
    await serving.close();
  }
  return result;
}

async function problemOf(
  serving: Awaited<ReturnType<typeof startServing>>,
  { method, operation }: (typeof ROUTES)[number],
  path: string,
  input: Buffer,
): Promise<string | null> {
  // Streams do not end, a demo would be crawled, and the answer of the update check is on the internet.
  if (["watchEvents", "startDemo", "checkForUpdate"].includes(operation.name)) return null;
  const before = serving.internal.length;
  const began = performance.now();
  const body = hasBody(method) ? { headers: { "content-type": "application/json" }, body: Uint8Array.from(input) } : {};
  const response = await serving.fetch(`/api/v1${path}`, { method: method.toUpperCase(), ...body });
  const { status, headers } = response;
  const text = await response.text();
  if (serving.internal.length > before) return `an internal error: ${String(serving.internal.at(-1))}`;
  // A busy machine: the answer says when to ask again.
  const isBusy = status === 503 && headers.has("retry-after");
  if (status >= 500 && !isBusy) return `status ${status}`;
  if (status >= 400 && text.length > MAX_PROBLEM) return `a problem of ${text.length} bytes`;
  if (status >= 400 && !headers.get("content-type")?.includes("json")) return "a problem that is not JSON";
  return performance.now() - began > MAX_MS ? `took over ${MAX_MS / 1_000} s` : null;
}
