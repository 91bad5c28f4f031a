/** Where a follower reads events, and how: its own settings beside those of a crawl. */
import { TrawlError } from "../../errors.ts";
import { normaliseEndpoint } from "../identity/did.ts";

export interface FollowSource {
  /** As it stands in the segments, such as `relay:https://bsky.network`. */
  name: string;
  kind: "firehose" | "jetstream";
  /** It speaks for the accounts of many servers. */
  isRelay: boolean;
  /** Of the stream, without a cursor. */
  url: string;
  /** Lists repos for the sweep; null for Jetstream, which lists none. */
  origin: string | null;
}

export interface FollowSettings {
  source: FollowSource;
  /** Where to begin when nothing was followed before; null for now. */
  cursor: number | null;
  /** Only events of accounts that the archive has. */
  onlyArchived: boolean;
  /** A segment of events that reaches this size is followed by the next. */
  eventSegmentSize: number;
  /** Seconds between two rounds of fetching repos that are marked. */
  closeEvery: number;
  /** Hours between two laps of the sweep; 0 for none. */
  sweepEvery: number;
  /** Pages of a thousand repos per second, in a lap. */
  sweepRps: number;
}

export const FOLLOW_DEFAULTS = {
  cursor: null,
  onlyArchived: false,
  eventSegmentSize: 512 * 2 ** 20,
  closeEvery: 60,
  sweepEvery: 24,
  sweepRps: 5,
} as const;

const PREFIX = /^(relay|pds|jetstream):(.+)$/s;

/** `relay:https://…`, `pds:https://…` or `jetstream:wss://…`. */
export function parseFollowSource(written: string, allowPrivate: boolean): FollowSource {
  const [, kind, address = ""] = PREFIX.exec(written) ?? [];
  if (kind === undefined) throw badSource(written, "it must be relay:https://…, pds:https://… or jetstream:wss://…");
  const url = URL.parse(address.replace(/^ws/, "http"));
  const { origin, refused } = normaliseEndpoint(url?.origin ?? address, allowPrivate);
  if (origin === null) throw badSource(written, refused);
  const socket = origin.replace(/^http/, "ws");
  if (kind === "jetstream") {
    return { name: `jetstream:${socket}`, kind, isRelay: true, url: `${socket}/subscribe`, origin: null };
  }
  const stream = `${socket}/xrpc/com.atproto.sync.subscribeRepos`;
  return { name: `${kind}:${origin}`, kind: "firehose", isRelay: kind === "relay", url: stream, origin };
}

const badSource = (written: string, reason: string): TrawlError =>
  new TrawlError("BAD_USAGE", `--source ${written} cannot be followed: ${reason}.`, {
    hint: "Give one stream, such as `--source relay:https://bsky.network`.",
  });
