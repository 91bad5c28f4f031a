/** A compaction in a process of its own, for tests that kill it. */
import { compactArchive } from "../../src/atproto/catalogue/compact.ts";

const onDamage = ({ path, reason }: { path: string; reason: string }): never => {
  throw new Error(`${path}: ${reason}`);
};
await compactArchive({ folder: process.argv[2]!, targetBytes: 30_000, now: () => Date.now(), onDamage });
