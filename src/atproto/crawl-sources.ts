/** The sources that a config names, ready to be read. */
import { join } from "node:path";
import type { AtprotoConfig } from "./atproto-config.ts";
import { PLC_FILE } from "./folder-files.ts";
import { clickHouseSource } from "./sources/clickhouse-source.ts";
import type { DidSource } from "./sources/did-page.ts";
import type { DidResolver } from "./sources/did-resolver.ts";
import { didsSource } from "./sources/dids-source.ts";
import { parseSource } from "./sources/parse-source.ts";
import { pdsSource } from "./sources/pds-source.ts";
import { plcSource } from "./sources/plc-source.ts";
import { relaySource } from "./sources/relay-source.ts";
import type { SourceClient } from "./sources/source-client.ts";

export interface SourceTools {
  config: AtprotoConfig;
  client: SourceClient;
  resolver: DidResolver;
  /** Hosts that are not to be asked, or that another process asks. */
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
