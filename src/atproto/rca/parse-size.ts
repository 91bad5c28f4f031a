/** Sizes as people type them: `2GB`, `512 KiB`, `1.5g`, `4096`. All units count by 1024, as the seed's do. */
import { TrawlError } from "../../errors.ts";

const SIZE = /^(\d+(?:\.\d+)?)\s*(?:([kmgt])i?b?|b)?$/i;
const POWERS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4 };

/** Whole bytes. */
export function parseSize(text: string): number {
  const match = SIZE.exec(text.trim());
  const bytes = match === null ? Number.NaN : Number(match[1]) * 1024 ** (POWERS[match[2]?.toLowerCase() ?? ""] ?? 0);
  const whole = Math.round(bytes);
  if (!Number.isSafeInteger(whole) || whole < 1) {
    throw new TrawlError("BAD_CONFIG", `${JSON.stringify(text)} is no size; write it as 2GB, 512MB or 4096.`);
  }
  return whole;
}
