/** Parses `--source`, and creates the sources that a config names. */
import { join } from "node:path";
import { TrawlError } from "../errors.ts";
import { type AtprotoConfig, PLC_FILE } from "./atproto-config.ts";
import { clickHouseSource } from "./sources/clickhouse-source.ts";
import { type DidResolver, normaliseEndpoint } from "./sources/did.ts";
import type { DidSource } from "./sources/did-page.ts";
import { didsSource } from "./sources/dids-source.ts";
import { plcSource } from "./sources/plc-source.ts";
import { pdsSource, relaySource } from "./sources/relay-source.ts";
import type { SourceClient } from "./sources/source-client.ts";

export interface SourceTools {
  config: AtprotoConfig;
  client: SourceClient;
  resolver: DidResolver;
  /** Hosts that are left out, or that another process crawls. */
  isSkipped: (origin: string) => boolean;
  onFailure: (origin: string, reason: string) => void;
  onNotice: (text: string) => void;
}

export function makeSource(written: string, tools: SourceTools): DidSource {
  const { config, client, resolver, isSkipped, onFailure, onNotice } = tools;
  const { allowPrivate, pageSize } = config;
  const name = parseSource(written, allowPrivate);
  switch (name.kind) {
    case "relay":
      return relaySource({ origin: name.origin, client, allowPrivate, isSkipped, onFailure });
    case "pds":
      if (isSkipped(name.origin)) return { name: written, pages: nothing };
      return pdsSource({ origin: name.origin, client, onFailure });
    case "plc": {
      const onImport = (operations: number) => {
        if (operations % 1_000_000 === 0) onNotice(`plc:${name.from}: ${operations} operations read.`);
      };
      return plcSource({ from: name.from, database: join(config.outputDir, PLC_FILE), client, pageSize, onImport });
    }
    case "dids":
      return didsSource({ path: name.from, resolver, pageSize });
    case "clickhouse":
      return clickHouseSource(
        {
          url: config.clickhouseUrl,
          database: config.clickhouseDatabase,
          username: config.clickhouseUsername,
          password: config.clickhousePassword,
        },
        pageSize,
      );
  }
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
