/** Defects in what protects the user, the machine and the server from others: who may do what, limits, traps and lies. */
import type { Mutant } from "./list.ts";

export const TRUST_MUTANTS: readonly Mutant[] = [
  // Who may do what
  {
    name: "server: a request that shows nothing is let in",
    find: "if (tokens.isAuthorized(shown)) return",
    replace: "if (shown.authorization === null || tokens.isAuthorized(shown)) return",
    tests: ["src/transports/http/server.test.ts"],
  },
  {
    name: "server: wrong tokens are answered at once",
    find: "if (isWrong) await wrongTokens.answer(clientAddress(c));",
    replace: "void isWrong;",
    tests: ["src/transports/http/handler.test.ts"],
  },
  {
    name: "server: a sign-in code works for programs of every user",
    find: "    if (sender !== null && sender !== user) return false;\n",
    replace: "",
    tests: ["src/transports/http/server.test.ts"],
  },
  {
    name: "websocket: a message has pieces without end",
    find: "if (this.#pieces.length >= MOST_PIECES) {",
    replace: "if (this.#pieces.length < 0) {",
    tests: ["src/net/websocket/websocket.test.ts"],
  },
  {
    name: "websocket: answers to pings that nobody reads pile up",
    find: "    this.#isAnswering = true;\n",
    replace: "",
    tests: ["src/net/websocket/websocket.test.ts"],
  },
  {
    name: "render: a page is given up because another one crashed its tab",
    find: "else if (!job.retried) this.#queue.unshift(",
    replace: "else if (!job.retried && browserLost) this.#queue.unshift(",
    tests: ["src/render/tabs.test.ts"],
  },
  {
    name: "server: the sign-in form may have any size",
    find: "readBodyText(c.req.raw, LIMITS.signInBytes)",
    replace: "readBodyText(c.req.raw, 2 ** 30)",
    tests: ["src/transports/http/handler.test.ts"],
  },
  {
    name: "server: a link on another site reaches data",
    find: `headers.get("sec-fetch-mode") === "navigate" && isPage(path)`,
    replace: `headers.get("sec-fetch-mode") === "navigate" && path !== ""`,
    tests: ["src/transports/http/guard.test.ts"],
  },
  {
    name: "server: others can read the token's file",
    find: "const PRIVATE = 0o600;\n/** What other users",
    replace: "const PRIVATE = 0o644;\n/** What other users",
    tests: ["src/transports/http/token-file.test.ts"],
  },
  {
    name: "databases: others can read them",
    find: "export const PRIVATE_FILE = 0o600;",
    replace: "export const PRIVATE_FILE = 0o644;",
    tests: ["test/cli/private-files.test.ts"],
  },
  {
    name: "settings: anyone may set what only the owner may",
    find: "  if (refused.length === 0) return;\n",
    replace: "  return;\n",
    tests: ["test/http/owner-settings.test.ts"],
  },
  {
    name: "settings: anyone may take the owner's settings to another site",
    find: "  if (outside === undefined) return;\n",
    replace: "  return;\n",
    tests: ["test/http/owner-settings.test.ts"],
  },
  {
    name: "start URLs: an agent may crawl private addresses",
    find: `if (found !== "public" && !mayBePrivate) throw privateStart(host, found);`,
    replace: "",
    tests: ["src/app/crawls/start-addresses.test.ts", "test/http/private-starts.test.ts"],
  },
  {
    name: "start URLs: an agent may crawl metadata services",
    find: `if (found === "metadata") throw metadataStart(host);`,
    replace: "",
    tests: ["src/app/crawls/start-addresses.test.ts", "test/http/private-starts.test.ts"],
  },
  {
    name: "egress: a start host may move to another class of address",
    find: "if (known !== undefined) requireClass(addresses, known);",
    replace: "if (known !== undefined) void known;",
    tests: ["src/net/connection/connector.test.ts", "src/net/client.test.ts"],
  },
  {
    name: "egress: the class of a start host is forgotten when a crawl is resumed",
    find: "if (this.has(host)) this.#classes.set(host, classes);",
    replace: "void [host, classes];",
    tests: ["src/app/crawls/crawls.test.ts"],
  },
  {
    name: "egress: metadata services are reached where private addresses are allowed",
    find: `if (addressClass(address) === "metadata") throw refusal(address);`,
    replace: "void address;",
    tests: ["src/net/connection/connector.test.ts", "src/net/client.test.ts"],
  },
  {
    name: "terminal: escape sequences of exports are written as they are",
    find: "stdout.isTTY === true ? safeStream(stdout) : stdout;",
    replace: "stdout.isTTY === true ? stdout : safeStream(stdout);",
    tests: ["src/transports/cli/output/terminal.test.ts"],
  },

  // Limits
  {
    name: "server: parameters of an address are not counted",
    find: "if (parameters > LIMITS.queryParameters) {",
    replace: "if (parameters < 0) {",
    tests: ["src/transports/http/request-size.test.ts", "src/transports/http/handler.test.ts"],
  },
  {
    name: "server: keys of a body are not counted",
    find: "if (keys > LIMITS.keys) {",
    replace: "if (keys < 0) {",
    tests: ["src/transports/http/request-size.test.ts", "src/transports/http/handler.test.ts"],
  },
  {
    name: "server: the depth of a body is not measured",
    find: "if (++depth > LIMITS.depth)",
    replace: "if (++depth < 0)",
    tests: ["src/transports/http/request-size.test.ts", "src/transports/http/handler.test.ts"],
  },
  {
    name: "server: values of a body are not counted",
    find: "if (values > maxValues) {",
    replace: "if (values < 0) {",
    tests: ["src/transports/http/request-size.test.ts", "src/transports/http/handler.test.ts"],
  },
  {
    name: "server: a client may make any number of calls",
    find: "if (client.calls < 1) throw",
    replace: "if (client.calls < -1e9) throw",
    tests: ["src/transports/http/governor.test.ts"],
  },
  {
    name: "server: a client may start any number of crawls",
    find: "if (own >= crawls) throw",
    replace: "if (own < 0) throw",
    tests: ["src/transports/http/governor.test.ts"],
  },
  {
    name: "memory: bodies do not share a budget",
    find: "if (share.bytes <= SMALL_BODY_BYTES || this.#used <= this.#limit || share === this.#favoured) return true;",
    replace: "if (share.bytes >= 0) return true;",
    tests: ["src/net/body-budget.test.ts"],
  },
  {
    name: "net: bytes that are not content are not counted",
    find: "if (overhead <= allowed) return;",
    replace: "if (allowed >= 0) return;",
    tests: ["src/net/overhead.test.ts"],
  },
  {
    name: "net: shortages of this machine are blamed on the host",
    find: `  EMFILE: "Trawl has run out`,
    replace: `  ENOTHING: "Trawl has run out`,
    tests: ["src/net/machine-trouble.test.ts"],
  },

  // Traps and lies
  {
    name: "challenges: those with headers only are taken for pages",
    find: "if (known?.value.test(value.trim())) return known.vendor;",
    replace: "void known;",
    tests: ["src/politeness/challenge.test.ts"],
  },
  {
    name: "challenges: one with status 200 is stored as a page",
    find: "visit.challenge = challengeOf(response, content.facts.text_length ?? 0);",
    replace: "",
    tests: ["test/site/challenges.test.ts"],
  },
  {
    name: "challenges: an archive stores them",
    find: "      challenge: challengeOf(response),\n",
    replace: "      challenge: null,\n",
    tests: ["test/archive/throttling.test.ts"],
  },
  {
    name: "traps: a family of barren pages is never stopped",
    find: "    family.isStopped = true;\n",
    replace: "",
    tests: ["test/site/traps.test.ts"],
  },
  {
    name: "disk: a crawl goes on while it is almost full",
    find: "      this.#isDiskFull = isAlmostFull;\n",
    replace: "      this.#isDiskFull = isAlmostFull && false;\n",
    tests: ["test/cli/full-disk.test.ts"],
  },
  {
    name: "events: a crawl that this process takes over is reported as stopped",
    find: `if (state === "running") return null;`,
    replace: "",
    tests: ["src/app/crawls/other-crawls.test.ts"],
  },
];
