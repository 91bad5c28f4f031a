/** One line of the PLC directory's export: what it says of a DID, and from where to read on behind it. */
import { z } from "zod";

const Line = z.object({
  did: z.string(),
  operation: z.object({
    type: z.string(),
    services: z.record(z.string(), z.object({ endpoint: z.unknown().optional() }).nullish()).nullish(),
    /** Of the first form of operations. */
    service: z.unknown().optional(),
  }),
  nullified: z.boolean().nullish(),
  createdAt: z.string().nullish(),
  /** Newer exports number their lines. */
  seq: z.number().nullish(),
});

export interface PlcLine {
  did: string;
  /** Where its repo is from now on; null for nowhere. Undefined when the line changes nothing. */
  pds: string | null | undefined;
  seq: number | null;
  createdAt: string | null;
}

/** Null when the line is no operation. */
export function parsePlcLine(text: string): PlcLine | null {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    return null;
  }
  const line = Line.safeParse(written);
  if (!line.success) return null;
  const { did, operation, nullified, seq, createdAt } = line.data;
  // An operation that another one took back later does not count.
  const pds = nullified === true ? undefined : pdsOf(operation);
  return { did, pds, seq: seq ?? null, createdAt: createdAt ?? null };
}

function pdsOf({ type, services, service }: z.infer<typeof Line>["operation"]): string | null | undefined {
  if (type === "plc_tombstone") return null;
  const endpoint =
    type === "create" ? service : type === "plc_operation" ? services?.["atproto_pds"]?.endpoint : undefined;
  if (type !== "create" && type !== "plc_operation") return undefined;
  return typeof endpoint === "string" && endpoint !== "" ? endpoint : null;
}

/**
 * The `after` that reads on behind a line. By time, a millisecond earlier: operations of the same millisecond may stand
 * behind it, and reading one twice changes nothing.
 */
export function cursorAfter({ seq, createdAt }: Pick<PlcLine, "seq" | "createdAt">): string | null {
  if (seq !== null) return `${seq}`;
  const time = createdAt === null ? Number.NaN : Date.parse(createdAt);
  return Number.isNaN(time) ? null : new Date(time - 1).toISOString();
}
