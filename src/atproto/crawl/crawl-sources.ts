/** Parses `--source`, and creates the sources that a config names. */
import { TrawlError } from "../../errors.ts";
import type { AtprotoConfig } from "../atproto-config.ts";
import { normaliseEndpoint } from "../identity/did.ts";
import type { IdentityTable } from "../identity/identity-table.ts";
import { clickHouseSource } from "../sources/clickhouse-source.ts";
import type { Demand, DidPage, DidSource } from "../sources/did-page.ts";
import { didsSource } from "../sources/dids-source.ts";
import { plcSource } from "../sources/plc-source.ts";
import { pdsSource, relaySource } from "../sources/relay-source.ts";
import type { SourceClient } from "../sources/source-client.ts";

export interface SourceTools {
  config: AtprotoConfig;
  client: SourceClient;
  /** The identities of PLC exports. */
  table: IdentityTable;
  signal: AbortSignal;
  /** Checks what a source claims against the documents of the DIDs. */
  check: (pages: AsyncIterable<DidPage>) => AsyncIterable<DidPage>;
  /** Hosts that are left out, or that another process crawls. */
  isSkipped: (origin: string) => boolean;
  /** How many accounts to take from a host; null for any plausible number. */
  maxAccounts: (origin: string) => number | null;
  /** Which hosts should list more of their repos. */
  demand: Demand;
  onSize: (origin: string, accounts: number) => void;
  onFailure: (origin: string, reason: string) => void;
  onNotice: (text: string) => void;
}

export function makeSource(written: string, tools: SourceTools): DidSource {
  const { config, client, table, signal, check, isSkipped, maxAccounts, demand, onSize, onFailure, onNotice } = tools;
  const { allowPrivate, pageSize } = config;
  const name = parseSource(written, allowPrivate);
  const checked = (source: DidSource): DidSource => ({
    name: source.name,
    pages: (from) => check(source.pages(from)),
  });
  switch (name.kind) {
    case "relay":
      return relaySource({
        origin: name.origin,
        client,
        allowPrivate,
        isSkipped,
        signals: config.signalCollection,
        demand,
        onSize,
        check,
        maxAccounts,
        onFailure,
      });
    case "pds":
      if (isSkipped(name.origin)) return { name: written, pages: nothing };
      return checked(pdsSource({ origin: name.origin, client, maxAccounts, demand, onFailure }));
    case "plc":
      // Its PDSs come from the table that claims are checked against.
      return plcSource({
        from: name.from,
        table,
        client,
        signal,
        pageSize,
        onImport: importNotice(name.from, onNotice),
      });
    case "dids":
      return checked(didsSource({ path: name.from, pageSize }));
    case "clickhouse":
      return checked(
        clickHouseSource(
          {
            url: config.clickhouseUrl,
            database: config.clickhouseDatabase,
            username: config.clickhouseUsername,
            password: config.clickhousePassword,
          },
          pageSize,
        ),
      );
  }
}

const NOTICE_EVERY = 1_000_000;

/** Every million operations. */
export function importNotice(from: string, onNotice: (text: string) => void): (operations: number) => void {
  let next = NOTICE_EVERY;
  return (operations) => {
    if (operations < next) return;
    onNotice(`plc:${from}: ${operations} operations read.`);
    next = (Math.floor(operations / NOTICE_EVERY) + 1) * NOTICE_EVERY;
  };
}

async function* nothing(): AsyncGenerator<never> {}

export type SourceName =
  | { kind: "relay" | "pds"; origin: string }
  | { kind: "plc" | "dids"; from: string }
  | { kind: "clickhouse" };

export function parseSource(written: string, allowPrivate: boolean): SourceName {
  if (written === "clickhouse") return { kind: "clickhouse" };
  const [, kind, rest = ""] = /^(relay|pds|plc|dids):(.+)$/s.exec(written) ?? [];
  if (kind === "relay" || kind === "pds") {
    const { origin, refused } = normaliseEndpoint(rest, allowPrivate);
    if (origin === null) {
      const isPrivate = !allowPrivate && normaliseEndpoint(rest, true).origin !== null;
      const way = isPrivate ? " --allow-private allows it, for tests and closed networks." : "";
      throw new TrawlError("BAD_USAGE", `${written} cannot be crawled: ${refused}.${way}`);
    }
    return { kind, origin };
  }
  if (kind === "plc" && /^https?:/i.test(rest)) {
    if (!URL.canParse(rest) || (!allowPrivate && !/^https:/i.test(rest))) {
      throw new TrawlError("BAD_USAGE", `${written} is not the https address of a PLC directory.`);
    }
    return { kind, from: rest };
  }
  if (kind === "plc" || kind === "dids") return { kind, from: rest };
  throw new TrawlError(
    "BAD_USAGE",
    `${JSON.stringify(written)} is not a source; write relay:https://…, pds:https://…, plc:FILE, plc:https://…, dids:FILE or clickhouse.`,
  );
}
