/** A size in bytes, short, with the exact number on pointing. */
import { formatBytes, formatNumber } from "../lib/format.ts";

export function ByteSize({ bytes }: { bytes: number | null | undefined }) {
  return (
    <span title={bytes === null || bytes === undefined ? undefined : `${formatNumber(bytes)} bytes`}>
      {formatBytes(bytes)}
    </span>
  );
}
