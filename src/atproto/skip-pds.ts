/** `--skip-pds` and `--share`: which hosts are none of this crawl's. */
import { crc32 } from "node:zlib";
import { compileFilter } from "../web/filter.ts";

/** Patterns without a scheme are held against the host, `/regular expressions/` and others against the whole address. */
export function skipRule(patterns: readonly string[]): (origin: string) => boolean {
  const filters = patterns.map((written) => {
    const { matches } = compileFilter(written.toLowerCase());
    const isWhole = written.startsWith("/") || written.includes("://");
    return isWhole ? matches : (origin: string) => matches(hostOf(origin)) || matches(nameOf(origin));
  });
  return (origin) => filters.some((matches) => matches(origin));
}

const hostOf = (origin: string): string => origin.slice(origin.indexOf("://") + 3);
const nameOf = (origin: string): string => hostOf(origin).replace(/:\d+$/, "");

/** Each host belongs to one of the processes: one that is asked by two would be asked twice as fast. */
export function shareRule(share: string | null): (origin: string) => boolean {
  if (share === null) return () => false;
  const [own, all] = share.split("/").map(Number) as [number, number];
  return (origin) => crc32(origin) % all !== own - 1;
}
