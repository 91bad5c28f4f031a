import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiClient, ApiError, apiUrl, inWords, problemFrom } from "./api.ts";

const answering = (status: number, body: string): typeof fetch => {
  return async () => new Response(body, { status });
};

const errorOf = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError);
  return error;
};

describe("apiUrl", () => {
  it("leaves out what is empty and repeats lists", () => {
    assert.equal(
      apiUrl("/crawls/1/urls", { filter: ["status>=400", "title~a&b"], search: "", sort: null, limit: 0 }),
      "/api/v1/crawls/1/urls?filter=status%3E%3D400&filter=title%7Ea%26b&limit=0",
    );
    assert.equal(apiUrl("/projects"), "/api/v1/projects");
  });
});

describe("ApiClient", () => {
  it("gives the answer as data", async () => {
    assert.deepEqual(await new ApiClient(answering(200, '{"status":"ok"}')).get("/health"), { status: "ok" });
    assert.equal(await new ApiClient(answering(200, "")).delete("/crawls/1"), undefined);
  });

  it("sends a body as JSON, same origin only", async () => {
    let sent: [unknown, RequestInit | undefined] | null = null;
    const client = new ApiClient(async (input, init) => {
      sent = [input, init];
      return new Response("{}");
    });
    await client.post("/crawl", { url: "example.com" });
    const [url, init] = sent!;
    assert.equal(url, "/api/v1/crawl");
    assert.equal(init?.body, '{"url":"example.com"}');
    assert.equal(init?.credentials, "same-origin");
  });

  it("throws the problem that the server reports", async () => {
    const problem = {
      title: "No crawl",
      status: 404,
      detail: "There is no crawl 7.",
      code: "CRAWL_NOT_FOUND",
      hint: "List them.",
    };
    const error = await errorOf(new ApiClient(answering(404, JSON.stringify(problem))).get("/crawls/7"));
    assert.deepEqual(error.problem, problem);
    assert.equal(error.message, "There is no crawl 7.");
  });

  it("makes a sentence of an answer that is not problem JSON", async () => {
    const error = await errorOf(new ApiClient(answering(502, "<h1>Bad gateway</h1>")).get("/projects"));
    assert.equal(error.status, 502);
    assert.match(error.problem.title, /502/);
  });

  it("says that the server is not responding, but lets an abort through", async () => {
    const failing = new ApiClient(() => Promise.reject(new TypeError("fetch failed")));
    assert.ok((await errorOf(failing.get("/health"))).isOffline);
    const aborted = AbortSignal.abort();
    await assert.rejects(failing.get("/health", {}, aborted), TypeError);
  });
});

describe("inWords", () => {
  it("says once what happened: the server's detail says it more exactly than its title", () => {
    const lost = {
      title: "There is no crawl with this id.",
      status: 404,
      detail: "There is no crawl 999.",
      code: "CRAWL_NOT_FOUND",
    };
    assert.deepEqual(inWords(lost), { title: "There is no crawl 999." });
    assert.deepEqual(inWords({ title: "No answer", status: 0 }), { title: "No answer" });
    assert.deepEqual(inWords(problemFrom("boom")), { title: "Something went wrong", detail: "boom" });
  });
});

describe("problemFrom", () => {
  it("shows anything thrown", () => {
    assert.equal(problemFrom(new Error("boom")).detail, "boom");
    assert.equal(problemFrom("odd").detail, "odd");
  });
});

describe("a busy server", () => {
  const busy = (status: number, retryAfter: string | null): Response =>
    new Response("{}", { status, headers: retryAfter === null ? {} : { "retry-after": retryAfter } });
  const clientOf = (answers: Response[]) => {
    const waits: number[] = [];
    const client = new ApiClient(
      async () => answers.shift()!,
      async (ms) => void waits.push(ms),
    );
    return { client, waits };
  };

  it("is asked again when it says so, without an error", async () => {
    const { client, waits } = clientOf([busy(429, "1"), busy(503, "2"), new Response('{"n":1}')]);
    assert.deepEqual(await client.get("/x"), { n: 1 });
    assert.deepEqual(waits, [1_000, 2_000]);
  });

  it("that stays busy, does not say when, or needs long, is reported", async () => {
    for (const answers of [Array.from({ length: 6 }, () => busy(429, "1")), [busy(503, null)], [busy(429, "60")]]) {
      const { client } = clientOf(answers);
      await assert.rejects(client.post("/x"), ApiError);
      assert.equal(answers.length, 0);
    }
  });

  it("is not waited for by a screen that was left", async () => {
    const client = new ApiClient(async () => busy(429, "1"));
    await assert.rejects(client.get("/x", {}, AbortSignal.abort(new Error("left"))), /left/);
  });
});
