/** What `--source` may say. */
import { TrawlError } from "../../errors.ts";
import { normaliseEndpoint } from "./endpoint.ts";

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
      throw new TrawlError("BAD_USAGE", `${written} is no https address of a PLC directory.`);
    }
    return { kind, from: rest };
  }
  if (kind === "plc" || kind === "dids") return { kind, from: rest };
  throw new TrawlError(
    "BAD_USAGE",
    `${JSON.stringify(written)} is no source; write relay:https://…, pds:https://…, plc:FILE, plc:https://…, dids:FILE or clickhouse.`,
  );
}
