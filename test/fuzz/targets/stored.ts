/** What files that we, or somebody else, wrote are read with: settings, lists, ledgers, WARC, CAR, segments. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { copyList } from "../../../src/app/crawls/url-list.ts";
import { nextTimes } from "../../../src/app/schedules/cron.ts";
import { normalizeUrl } from "../../../src/app/url-input.ts";
import { decodeCommit, decodeFetched } from "../../../src/archive/ledger/commit-line.ts";
import { decodeRow } from "../../../src/archive/ledger/frontier-line.ts";
import { decodeRobots } from "../../../src/archive/ledger/robots-line.ts";
import { parseDiscovery } from "../../../src/archive/spool/spool-files.ts";
import { parseRecord, urlOfLine } from "../../../src/archive/store/metadata-record.ts";
import { parseCdxj, surt } from "../../../src/archive/store/warc/cdxj.ts";
import { parseHeaders } from "../../../src/archive/store/warc/warc-record.ts";
import { isDid, normaliseEndpoint } from "../../../src/atproto/identity/did.ts";
import { parsePlcLine } from "../../../src/atproto/identity/plc-export.ts";
import { decodeBlock, decodeCounts } from "../../../src/atproto/rca/format/block.ts";
import { BadBytes } from "../../../src/atproto/rca/format/bytes.ts";
import { SegmentReader } from "../../../src/atproto/rca/read/segment-reader.ts";
import { RepoParseError } from "../../../src/atproto/repo/parsed-repo.ts";
import { parseRepo } from "../../../src/atproto/repo/prepare-repo.ts";
import { TrawlError } from "../../../src/errors.ts";
import { parseYaml } from "../../../src/settings/yaml.ts";
import { parseConfig } from "../../../src/site/site-config.ts";
import { parseFilter } from "../../../src/site/store/filter/filter.ts";
import type { Target } from "../target.ts";

const seed = (name: string): Buffer => readFileSync(join(import.meta.dirname, "../seeds", name));
const text = (input: Buffer): string => input.toString("utf8");
const refuses = (error: unknown): boolean => error instanceof TrawlError;
const JSON_WORDS = ["{", "}", "[", "]", '"', ":", ",", "null", "__proto__", "\\u0000", "1e999", "constructor"];

/** A file for readers that want one. Its path is the same each time, because errors name it. */
async function withFile<Result>(name: string, bytes: Buffer, use: (path: string) => Promise<Result>): Promise<Result> {
  folder ??= temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return use(path);
}

let folder: string | null = null;

function temporaryFolder(): string {
  const made = mkdtempSync(join(tmpdir(), "trawl-fuzz-"));
  process.on("exit", () => rmSync(made, { recursive: true, force: true }));
  return made;
}

export const STORED: readonly Target[] = [
  {
    name: "settings",
    seeds: [
      "maxUrls: 100\ndiscovery: [spider, sitemap]\nheaders:\n  Accept-Language: de\ninclude:\n  - /blog/*\n",
      "a: &x [1]\nb: *x\n",
    ],
    words: ["&a", "*a", "<<: ", "!!js/function", "- ", ": ", "{", "[", "|\n", "\t", "? ", "parallelism: "],
    refuses,
    run: (input) => parseConfig(parseYaml(text(input), "trawl.yaml", "maxUrls: 100")),
  },
  {
    name: "cron",
    seeds: ["0 6 * * 1", "@daily", "*/5 1-3,7 L * MON#2"],
    words: ["*", "/", "-", ",", "L", "W", "#", "99"],
    refuses,
    run: (input) => nextTimes({ cron: text(input), timezone: "UTC" }, 0, 3),
  },
  {
    name: "filter-rule",
    seeds: ["status>=400", "url~/a", "title!=", "title=x"],
    words: ["=", "!", "~", "<", ">", "status", " "],
    refuses,
    run: (input) => parseFilter(text(input)),
  },
  {
    name: "url-input",
    seeds: ["example.com", "https://例え.jp/x", "localhost:8080/a b"],
    words: ["//", ":", "@", "[", "]", "%"],
    refuses,
    run: (input) => normalizeUrl(text(input)),
  },
  {
    name: "url-list",
    seeds: ["https://example.com/a\n# comment\n\nexample.com/b\r\n", '"https://example.com/a","x"\n'],
    words: ["\n", "\r", "#", ",", '"', "https://"],
    refuses,
    run: (input) =>
      withFile("list", Buffer.alloc(0), async (path) => [
        await copyList(Readable.from([input]), path),
        readFileSync(path, "utf8"),
      ]),
  },
  {
    name: "ledger",
    seeds: [
      '{"url":"https://github.com/a/b","page_type":"repo_root","depth":1,"referrer":null,"discovered_at":1,"commit":1,"id":1}',
      '{"commit":1,"settled":[["github.com","done",[1,[2,3]],null]],"sum":"00000000"}',
      '{"origin":"https://github.com","content":"User-agent: *","expires_at":1.5,"why":"x","commit":1}',
      '{"url":"https://github.com/a/b","page_type":"repo_root","depth":1}',
    ],
    words: JSON_WORDS,
    run: (input) => [
      decodeRow(input),
      decodeCommit(input),
      decodeFetched(text(input)),
      decodeRobots(input),
      parseDiscovery(input),
    ],
  },
  {
    name: "metadata",
    seeds: ['{"url":"https://github.com/a/b","http_status":200,"content_sha256":"","stored_path":"","metadata":{}}'],
    words: JSON_WORDS,
    run: (input) => [parseRecord(input), urlOfLine(input)],
  },
  {
    name: "warc",
    seeds: [
      "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n",
      'com,github)/a 20260101000000 {"url":"https://github.com/a","mime":"text/html"}',
    ],
    words: ["\r\n", ":", "WARC/1.1", "Content-Length: ", " ", "{", "}"],
    run: (input) => [parseHeaders(text(input)), parseCdxj(text(input)), surt(text(input))],
  },
  {
    name: "plc",
    seeds: [
      '{"did":"did:plc:aaaaaaaaaaaaaaaaaaaaaaaa","operation":{"type":"plc_operation","services":{"atproto_pds":{"endpoint":"https://a.example"}}},"nullified":false,"createdAt":"2026-01-01T00:00:00.000Z"}',
    ],
    words: JSON_WORDS,
    run: (input) => parsePlcLine(text(input)),
  },
  {
    name: "did",
    seeds: ["did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", "did:web:example.com%3A8080", "https://pds.example.com"],
    words: ["did:", ":", "%3A", "//", "@"],
    run: (input) => [isDid(text(input)), normaliseEndpoint(text(input), false)],
  },
  {
    name: "car",
    seeds: [seed("repo.car")],
    refuses: (error) => error instanceof RepoParseError,
    run: (input) =>
      parseRepo(
        input,
        { did: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", verify: "none", json: "lossless", cids: true },
        () => 0.5,
      ),
  },
  {
    name: "rca-block",
    seeds: [seed("block.bin")],
    refuses: (error) => error instanceof BadBytes,
    run: (input) => [decodeCounts(input), decodeBlock(input)],
  },
  {
    name: "rca-segment",
    seeds: [seed("segment.rca")],
    refuses,
    run: (input) =>
      withFile("segment_0001.rca", input, async (path) => {
        const damage: unknown[] = [];
        const reader = await SegmentReader.open(path, {
          onDamage: ({ offset, reason }) => damage.push([offset, reason]),
        });
        try {
          const dids: string[] = [];
          for await (const { did } of reader.repos()) dids.push(did);
          return { dids, damage };
        } finally {
          await reader.close();
        }
      }),
  },
];
