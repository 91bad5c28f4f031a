/**
 * The crawl that fetches what stored pages need to look as they did, into the WARCs. It follows the crawl of the pages,
 * with a ledger and a policy of its own, so no count, list or file takes what it fetches for a page. It reads the
 * metadata from where it last stopped: what a page needs is found in the stored page, and nothing has to be remembered
 * until then.
 */
import type { CrawlContext, Offer } from "../../kernel/product.ts";
import { SeenTable } from "../../kernel/seen.ts";
import type { Found, Task } from "../../kernel/task.ts";
import { headerValue } from "../../net/headers.ts";
import { decodeHtml } from "../../web/charset.ts";
import { Metrics } from "../archive-metrics.ts";
import { noRecords } from "../archive-record.ts";
import type { PageReader, Visit } from "../archive-visit.ts";
import type { ArchiveConfig } from "../config/archive-config.ts";
import type { ArchiveSettings } from "../config/parse-archive-config.ts";
import type { CrawlKind } from "../crawl-kind.ts";
import type { FindSink } from "../discovery-kinds.ts";
import { ANY_HOST } from "../policy/hosts.ts";
import type { ArchiveMeta, PageTypes } from "../policy/policy.ts";
import { profileSchema } from "../profile/profile.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { isStillThere, type MetadataMark, metadataSince } from "../store/metadata-since.ts";
import type { ArchiveStores } from "../stores.ts";
import type { WorkspacePaths } from "../workspace.ts";
import { canonicalRequisite, pageRequisites, styleRequisites, type Wanted } from "./find-requisites.ts";

/** Style sheets import others; deeper than this it is not a page that a person designed. */
const MAX_IMPORTS = 5;

/** Each host is capped as a whole, as if it were one repo. */
const PROFILE = profileSchema.parse({
  name: "requisites",
  hosts: [],
  allow_patterns: ["^https?://"],
  page_types: [{ name: "requisite", pattern: "^https?://", repo: true }],
  repo_segments: 0,
  caps: { per_repo_max_pages: 0, max_depth: MAX_IMPORTS },
});

/** The policy for requisites: its hosts, patterns and caps differ from those of the pages, and it is less patient. */
export function requisiteSettings(settings: ArchiveSettings): ArchiveSettings {
  const { config } = settings;
  const { requisites, limits, scope } = config;
  return {
    ...settings,
    config: {
      ...config,
      limits: { ...limits, max_rest_sec: requisites.max_rest_sec },
      scope: { ...scope, content_types: ["*"] },
    },
    profile: PROFILE,
    hosts: requisites.allowed_hosts ?? [ANY_HOST],
    deniedSubdomains: requisites.denied_hosts,
    allow: PROFILE.allow_patterns,
    deny: requisites.deny_patterns,
    caps: { per_repo_max_pages: requisites.per_host_max, max_depth: MAX_IMPORTS },
  };
}

const wantedOf = ({ requisites: { kinds, per_page_max } }: ArchiveConfig): Wanted => ({
  kinds: new Set(kinds),
  most: per_page_max,
});

export function requisitesKind(stores: ArchiveStores, paths: WorkspacePaths, config: ArchiveConfig): CrawlKind {
  const wanted = wantedOf(config);
  let from: MetadataMark | null = null;
  return {
    paths: paths.requisiteLedger,
    records: noRecords(async () => {}),
    complete: (record) => record,
    referrerOf: () => null,
    extraOf: () => ({}),
    finds: requisiteFinds((mark) => {
      from = mark;
    }),
    storesPages: false,
    adapt: requisiteSettings,
    aside: {
      metrics: new Metrics({ frontier_size: () => 0, in_flight: () => 0, paused: () => 0 }),
      canonicalize: canonicalRequisite,
      readPage: styleReader(wanted),
      // An error page instead of an image would be listed as a page of the package.
      keep: (exchange) =>
        exchange.response.status === 200 && isHtml(headerValue(exchange.response.headers, "content-type"))
          ? Promise.resolve()
          : stores.keepExchange!({ ...exchange, isPage: false }),
    },
    source: ({ types }, { note }) =>
      metadataSource({ metadataPath: paths.metadata, blobs: stores.blobs, types, wanted, from: () => from, note }),
  };
}

const isHtml = (contentType: string | null): boolean =>
  /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType ?? "");

/** What a requisite needs in turn: only style sheets need anything. */
const styleReader =
  (wanted: Wanted): PageReader =>
  (bytes, contentType, url) => {
    if (!/^\s*text\/css\b/i.test(contentType)) return { charset: "", links: [] };
    // By its header or byte order mark. `@charset` matters only for names, and file names are ASCII where it counts.
    const { utf8, charset } = decodeHtml(bytes, contentType);
    return { charset, links: styleRequisites(utf8.toString(), url, { ...wanted, most: 0 }) };
  };

function requisiteFinds(onMark: (mark: MetadataMark) => void): FindSink {
  return {
    decided() {},
    offerAll(task: Task<ArchiveMeta>, { kind, links }: Visit, offer: Offer<ArchiveMeta>, { types }) {
      const isRedirect = kind === "redirect";
      const [depth, hops] = isRedirect ? [task.depth, task.hops + 1] : [task.depth + 1, 0];
      for (const key of links) offer({ key, depth, hops, parent: task.id, meta: types.metaOf(key) });
    },
    recoverNote({ key, value }) {
      if (key === NOTE) onMark(JSON.parse(value) as MetadataMark);
    },
  };
}

const NOTE = "requisites-read";
const BATCH = 50;

interface MetadataSource {
  metadataPath: string;
  blobs: Pick<BlobStore, "read">;
  types: PageTypes;
  wanted: Wanted;
  from: () => MetadataMark | null;
  note: CrawlContext["note"];
}

async function* metadataSource(options: MetadataSource): AsyncGenerator<Found<ArchiveMeta>[]> {
  const { metadataPath, blobs, wanted, types, note } = options;
  const last = options.from();
  // After a repair all lines are read again, and what is known is not fetched twice.
  const from = last !== null && (await isStillThere(metadataPath, last)) ? last : null;
  const read = new SeenTable();
  let reached: MetadataMark | null = null;
  let batch: Found<ArchiveMeta>[] = [];
  let pages = 0;
  for await (const { record, mark } of metadataSince(metadataPath, from)) {
    reached = mark;
    const { url, content_sha256: sha256, content_type: contentType } = record;
    // The same page under another URL may need other files, because its links are relative.
    const page = `${sha256} ${url}`;
    if (sha256 === "" || !isHtml(contentType) || read.get(page) === 1) continue;
    read.set(page, 1);
    const bytes = await blobs.read(sha256).catch(() => null);
    if (bytes === null) continue;
    for (const key of pageRequisites(decodeHtml(bytes, contentType).utf8, url, wanted)) {
      batch.push({ key, depth: 0, parent: 0, hops: 0, meta: types.metaOf(key) });
    }
    if (++pages % BATCH !== 0) continue;
    yield batch;
    batch = [];
    // The batch has been admitted by now, so this position comes in the same commit or a later one.
    note({ key: NOTE, value: JSON.stringify(mark) });
  }
  if (batch.length > 0) yield batch;
  if (reached !== null) note({ key: NOTE, value: JSON.stringify(reached) });
}
