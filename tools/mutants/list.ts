/**
 * Defects that the tests must notice. Each is one change to the sources, with the tests that are expected to fail. The place is
 * found by its text, so that files can be moved.
 *
 * Syncs are not listed: the crash tests of `src/storage` drop each of them in turn.
 */
import { FLEET_MUTANTS } from "./fleet-mutants.ts";
import { TRUST_MUTANTS } from "./trust-mutants.ts";

export interface Mutant {
  /** What the mutated program does wrong. */
  name: string;
  /** Occurs once in the sources. */
  find: string;
  replace: string;
  /** Files, or patterns of files. */
  tests: readonly string[];
}

export const MUTANTS: readonly Mutant[] = [
  // The path of a URL
  {
    name: "gate: robots.txt is checked before the scope",
    find: `      this.#place(found) ??
      this.#path(found) ??
      this.#allowance(found);`,
    replace: `      this.#allowance(found) ??
      this.#place(found) ??
      this.#path(found);`,
    tests: ["src/site/**/site-gate.test.ts"],
  },
  {
    name: "gate: URLs that are not crawled count towards the caps",
    find: `    if (against !== null && against.action !== "crawl") return against;
    const spent`,
    replace: `    if (against !== null && against.action !== "crawl") {
      this.#spend(url);
      return against;
    }
    const spent`,
    tests: ["src/site/**/site-gate.test.ts"],
  },
  {
    name: "gate: a cap lets one URL too many through",
    find: "this.#admitted >= maxUrls)",
    replace: "this.#admitted > maxUrls)",
    tests: ["src/site/**/site-gate.test.ts"],
  },
  {
    name: "gate: caps start from zero after a restart",
    find: `if (known.action === "crawl" && this.#counts(known.key)) this.#spend(known.key);`,
    replace: "void known;",
    tests: ["src/site/**/site-gate.test.ts"],
  },
  {
    name: "gate: one redirect too many is followed",
    find: "hops > config.maxRedirects",
    replace: "hops > config.maxRedirects + 1",
    tests: ["src/site/**/site-gate.test.ts", "test/site/redirects.test.ts"],
  },
  {
    name: "admission: a URL that is found again is decided again",
    find: "if (known !== 0 && !(found.again ? this.#provisional.isRefused(known) : this.#provisional.has(known))) return known;",
    replace: "",
    tests: ["src/kernel/admission.test.ts"],
  },
  {
    name: "admission: a provisional verdict changes into one other than crawl",
    find: `if (known !== 0 && verdict.action !== "crawl" && (!found.again || isSame(verdict, found.again))) return known;`,
    replace: "",
    tests: ["src/kernel/admission.test.ts"],
  },
  {
    name: "seen-table: only the low half of a fingerprint is compared",
    find: "(this.#low[slot] !== low || this.#high[slot] !== high)",
    replace: "this.#low[slot] !== low",
    tests: ["src/kernel/seen.test.ts"],
  },
  {
    name: "seen-table: only the high half of a fingerprint is compared",
    find: "(this.#low[slot] !== low || this.#high[slot] !== high)",
    replace: "this.#high[slot] !== high",
    tests: ["src/kernel/seen.test.ts"],
  },
  {
    name: "completion: open counts settled tasks too",
    find: "return this.admitted - this.settled;",
    replace: "return this.admitted;",
    tests: ["src/kernel/meters.test.ts"],
  },
  {
    name: "completion: the crawl ends before its sources are read",
    find: "if (this.#sources.length === 0) break;",
    replace: "break;",
    tests: ["src/kernel/crawl.test.ts"],
  },
  {
    name: "order: outcomes are applied as they arrive",
    find: "if (ticket.gone) this.#late.push(outcome);",
    replace: "if (!ticket.gone || ticket.gone) this.#late.push(outcome);",
    tests: ["src/kernel/order.test.ts", "src/kernel/crawl.test.ts"],
  },
  {
    name: "stop: requests in flight are not aborted",
    find: "    this.#options.abort.abort();\n",
    replace: "",
    tests: ["src/kernel/crawl-stop.test.ts"],
  },
  {
    name: "commit: a batch is written after one that failed",
    find: "if (this.#failed) return this.#last;",
    replace: "",
    tests: ["src/kernel/commit.test.ts", "src/kernel/crawl-crash.test.ts"],
  },
  {
    name: "commit: two batches are written at once",
    find: `"The ledger is not open."));
    const done = this.#last.then(work);`,
    replace: `"The ledger is not open."));
    const done = Promise.resolve(work());`,
    tests: ["src/kernel/serial-queue.test.ts"],
  },

  // Politeness
  {
    name: "robots.txt: the shortest rule wins",
    find: "right.priority - left.priority ||",
    replace: "left.priority - right.priority ||",
    tests: ["src/web/robots/robots.test.ts"],
  },
  {
    name: "robots.txt: Disallow wins a tie",
    find: "Number(right.allow) - Number(left.allow)",
    replace: "Number(left.allow) - Number(right.allow)",
    tests: ["src/web/robots/robots.test.ts"],
  },
  {
    name: "lanes: clocks are not saved",
    find: `  settle(settled: Settled<Rec>, laneKey: string, lane: LaneState): void {
    this.#batch.lanes.set(laneKey, lane);`,
    replace: `  settle(settled: Settled<Rec>, laneKey: string, lane: LaneState): void {
    void [laneKey, lane];`,
    tests: ["src/kernel/commit.test.ts", "src/kernel/crawl-crash.test.ts"],
  },
  {
    name: "lanes: clocks are not restored",
    find: "lane.state = revive(state, lane.policy, now);",
    replace: "lane.state = revive(freshLane(), lane.policy, now);",
    tests: ["src/kernel/lanes.test.ts", "src/kernel/crawl-crash.test.ts"],
  },
  {
    name: "lanes: the first request after a restart does not wait",
    find: "const nextAt = Math.max(state.nextAt, now + intervalOf(state, policy));",
    replace: "const nextAt = state.nextAt;",
    tests: ["src/kernel/lane.test.ts"],
  },
  {
    name: "lanes: Retry-After is ignored",
    find: `if (status === 429) return { kind: "throttled", forMs: serverDelay(outcome.headers, now) };`,
    replace: `if (status === 429) return { kind: "throttled", forMs: null };`,
    tests: ["src/politeness/host-lane.test.ts"],
  },
  {
    name: "retry: Retry-After of a page is ignored",
    find: "return Math.max(own, Math.min(input.askedMs ?? 0, input.maxAskedMs));",
    replace: "return own;",
    tests: ["src/politeness/host-lane.test.ts"],
  },

  // The network
  {
    name: "egress: cloud metadata's link-local range is public",
    find: `  ["169.254.0.0", 16, "link-local"],\n`,
    replace: "",
    tests: ["src/net/connection/egress.test.ts"],
  },
  {
    name: "egress: IPv6 outside 2000::/3, IPv4-mapped included, is public",
    find: `return bytes[0]! >> 5 === 1 ? "global" : "reserved";`,
    replace: `return "global";`,
    tests: ["src/net/connection/egress.test.ts"],
  },
  {
    name: "egress: IPv4 inside NAT64 is not checked",
    find: `  if (within(bytes, NAT64, 96)) return embedded("NAT64", bytes.slice(12));\n`,
    replace: `  if (within(bytes, NAT64, 96)) return "global";\n`,
    tests: ["src/net/connection/egress.test.ts"],
  },
  {
    name: "egress: one public address among private ones is enough",
    find: `if (addressClass(address) !== "public") throw refusal(address);`,
    replace: `if (addressClass(address) !== "public" && addresses.length === 1) throw refusal(address);`,
    tests: ["src/net/connection/resolver.test.ts", "src/net/connection/connector.test.ts"],
  },
  {
    name: "body: no limit on bytes read",
    find: "const kept = chunk.subarray(0, this.#wireLimit - this.#wireBytes);",
    replace: "const kept = chunk;",
    tests: ["src/net/exchange.test.ts"],
  },
  {
    name: "body: no limit on decompression in one step",
    find: "return { maxOutputLength: cap, chunkSize:",
    replace: "return { chunkSize:",
    tests: ["src/net/exchange.test.ts", "src/net/content-coding.test.ts"],
  },
  {
    name: "body: no limit on streamed decompression",
    find: `if (piece.length > left) return { body: sink.bytes(), truncated: "decoded" };`,
    replace: "",
    tests: ["src/net/exchange.test.ts", "src/net/content-coding.test.ts"],
  },
  {
    name: "cookies: a public suffix can be given cookies",
    find: "if (domain !== url.hostname) return;",
    replace: "if (domain !== url.hostname) cookie.domain = null;",
    tests: ["src/net/cookie-jar.test.ts"],
  },
  {
    name: "sitemaps: a document's own entities are expanded",
    find: "hasOwnEntities = /<!ENTITY/i.test(doctype);",
    replace: "hasOwnEntities = false;",
    tests: ["src/web/sitemap/sitemap.test.ts"],
  },

  // Who may ask, and what they see
  {
    name: "server: any token is accepted",
    find: "if (bearer !== undefined) return isSame(bearer, this.token);",
    replace: "if (bearer !== undefined) return true;",
    tests: ["src/transports/http/tokens.test.ts", "src/transports/http/server.test.ts"],
  },
  {
    name: "server: a single-use code works twice",
    find: "    this.#codes.delete(code);\n    return true;\n",
    replace: "    return true;\n",
    tests: ["src/transports/http/tokens.test.ts"],
  },
  {
    name: "server: the Host header is not checked",
    find: `if (!isHostAllowed(headers.get("host"))) {`,
    replace: `if (!isHostAllowed(headers.get("host")) && method === "NONE") {`,
    tests: ["src/transports/http/handler.test.ts"],
  },
  {
    name: "server: other websites may send requests",
    find: `if (!isOriginAllowed({ method, path: c.req.path, headers })) throw new TrawlError("ORIGIN_NOT_ALLOWED");`,
    replace: "void isOriginAllowed;",
    tests: ["src/transports/http/handler.test.ts"],
  },
  {
    name: "export: formulas reach the spreadsheet",
    find: "const text = !raw && FORMULA.test(value)",
    replace: "const text = raw && FORMULA.test(value)",
    tests: ["src/site/export/export-rows.test.ts"],
  },
  {
    name: "settings: header values are shown",
    find: "if (headers) shown.headers = Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));",
    replace: "void headers;",
    tests: ["src/site/credentials/secrets.test.ts"],
  },
  {
    name: "SQL: every operation is authorized",
    find: "  return constants.SQLITE_DENY;",
    replace: "  return constants.SQLITE_OK;",
    tests: ["src/site/store/sql/guarded-query.test.ts"],
  },
  {
    name: "SQL: the file is opened for writing",
    find: "new DatabaseSync(location, { ...options, readOnly: true })",
    replace: "new DatabaseSync(location, { ...options })",
    tests: ["src/site/store/sql/guarded-query.test.ts"],
  },
  {
    name: "lists: a cursor is accepted by any list",
    find: "if (sum !== checksum(list, text)) {",
    replace: "if (sum === undefined) {",
    tests: ["src/app/data/cursor.test.ts"],
  },

  // Files
  {
    name: "locks: a locked file can be locked again",
    find: "BEGIN EXCLUSIVE",
    replace: "BEGIN",
    tests: ["src/app/crawls/crawl-lock.test.ts"],
  },
  {
    name: "archive: a torn last line is accepted",
    find: `const flaw = torn ? "torn" : length`,
    replace: "const flaw = length",
    tests: ["src/storage/read-lines.test.ts"],
  },
  {
    name: "archive: the checksum of a line is not compared",
    find: "return sum !== null && sum.own === crc32(text) ?",
    replace: "return sum !== null ?",
    tests: ["src/archive/ledger/commit-line.test.ts"],
  },
  {
    name: "archive: lines need not follow each other",
    find: "crc32(text, before) === running;",
    replace: "crc32(text, before) >= 0 || running === 0;",
    tests: [
      "src/archive/ledger/repair.test.ts",
      "src/archive/ledger/file-ledger.test.ts",
      "test/archive/damage.test.ts",
    ],
  },
  {
    name: "archive: commits that are missing at the end look like a crash",
    find: "    await this.#files.seal.advance(this.#commit);\n",
    replace: "",
    tests: ["src/archive/ledger/any-damage.test.ts"],
  },
  {
    name: "archive: a queue that was closed may be the one before it was rewritten",
    find: "const isExpected = isClosed ? sums[name].at(-1) === running : sums[name].includes(running);",
    replace: "const isExpected = sums[name].includes(running);",
    tests: ["src/archive/ledger/any-damage.test.ts"],
  },
  {
    name: "spool: a line that is missing is not noticed",
    find: `if (line === null) yield { file, line: before + 1, what: "is missing" };`,
    replace: "",
    tests: ["src/archive/spool/spool-sums.test.ts"],
  },
  {
    name: "archive: nobody is told that edges.csv has lost rows",
    find: "if (noted > this.#log.end) onError(",
    replace: "if (noted < 0) onError(",
    tests: ["src/archive/trajectory.test.ts"],
  },
  {
    name: "archive: a WARC that is gone with its index is not noticed",
    find: "if (line.offset >= from) onLost(url, line);",
    replace: "void [from, line, url];",
    tests: ["test/cli/archive-warc.test.ts"],
  },
  {
    name: "WARC: WARC-Block-Digest covers the headers only",
    find: `["WARC-Block-Digest", digestOf(block)],`,
    replace: `["WARC-Block-Digest", digestOf(block.subarray(0, 100))],`,
    tests: ["src/archive/store/warc/warc-writer.test.ts"],
  },
  {
    name: "rca: the CRC of a block is not compared",
    find: `if (crc32(bytes.subarray(reader.position)) !== crc) throw`,
    replace: "if (crc < 0) throw",
    tests: ["src/atproto/rca/**/block.test.ts"],
  },
  {
    name: "rca: the CRC of an index is not compared",
    find: "if (crc !== footer.indexCrc) throw",
    replace: "if (crc < 0) throw",
    tests: ["src/atproto/rca/**/segment-reader.test.ts"],
  },
  {
    name: "MST: keys of a node may be out of order",
    find: "if (common === length || (common < both && bytes[offset + common]! < key[common]!)) {",
    replace: "if (common === length) {",
    tests: ["src/atproto/repo/mst-walk.test.ts"],
  },
  {
    name: "MST: keys of a subtree may be outside its range",
    find: "if (below < kept) kept = below;",
    replace: "",
    tests: ["src/atproto/repo/mst-walk.test.ts"],
  },
  {
    name: "repo: the signature of a commit is not verified",
    find: `if (!verify("sha256", unsigned, { key, dsaEncoding: "ieee-p1363" }, signature)) {`,
    replace: `if (!verify("sha256", unsigned, { key, dsaEncoding: "ieee-p1363" }, signature) && s < 0n) {`,
    tests: ["src/atproto/repo/commit.test.ts"],
  },

  // Schedules
  {
    name: "schedules: every missed time is run",
    find: "store.claim(schedule, nextRun(rule, clock.now(), random))",
    replace: "store.claim(schedule, nextRun(rule, dueAt, random))",
    tests: ["src/app/schedules/scheduler.test.ts"],
  },
  {
    name: "schedules: a run may be claimed twice",
    find: "return changes === 1;\n  }\n\n  addRun",
    replace: "return changes >= 0;\n  }\n\n  addRun",
    tests: ["src/app/schedules/scheduler.test.ts"],
  },
  {
    name: "webhooks: a delivery is not retried",
    find: "if (isFinal || tries >= MAX_TRIES) {",
    replace: "if (isFinal || tries >= 1) {",
    tests: ["src/app/schedules/scheduler.test.ts"],
  },

  ...FLEET_MUTANTS,
  ...TRUST_MUTANTS,
];
