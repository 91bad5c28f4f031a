/** One line of the spool: a page that was found, and how. */
import { z } from "zod";

const Discovery = z.object({
  url: z.string(),
  page_type: z.string(),
  depth: z.int().min(0),
  referrer: z.string().nullable(),
  /** Unix time in seconds; older spools do not have it. */
  discovered_at: z.number().optional(),
  metadata: z.record(z.string(), z.json()).optional(),
});

export type Discovery = z.infer<typeof Discovery>;

export const formatDiscovery = (discovery: Discovery): string => `${JSON.stringify(discovery)}\n`;

/** Null for a line that is none. */
export function parseDiscovery(line: Buffer): Discovery | null {
  try {
    return Discovery.parse(JSON.parse(line.toString("utf8")));
  } catch {
    return null;
  }
}
