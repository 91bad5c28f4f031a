/** Every segment and recorded event of an archive checked, with the keys that its crawl found: the counts, and the first problems. */
import { existsSync } from "node:fs";
import { verifyEvents } from "../../atproto/follow/verify-events.ts";
import type { Damage } from "../../atproto/rca/format/bytes.ts";
import { segmentNames } from "../../atproto/rca/format/segment-names.ts";
import { UNPROVEN } from "../../atproto/rca/repair/check-proof.ts";
import { verifySegment } from "../../atproto/rca/repair/verify-segments.ts";
import { openSigningKeys } from "../../atproto/signing-keys.ts";
import { TrawlError } from "../../errors.ts";
import type { RepoVerification } from "../operations/atproto.ts";

/** More are counted, but not listed. */
const LISTED_PROBLEMS = 200;
const UNREADABLE = new Set<string>(["NOT_A_SEGMENT", "FILE_NOT_READABLE"]);

export async function verifyArchive(folder: string, signal?: AbortSignal): Promise<RepoVerification> {
  const sums = { segments: 0, unfinished: 0, repos: 0, records: 0, bytes: 0, provenRepos: 0, problems: 0 };
  const unproven = new Map<string, number>();
  const listed: RepoVerification["listed"] = [];
  const onDamage = ({ path, offset, did, reason, torn }: Damage): void => {
    if (!torn && listed.length < LISTED_PROBLEMS) listed.push({ file: path, offset, did, reason });
  };
  using keys = openSigningKeys(folder, null);
  const keysOf = (did: string) => keys.of(did);
  for (const { path, kind, state } of await segmentNames(folder)) {
    if (kind !== "rca" || state === "damaged") continue;
    sums.segments++;
    if (state === "partial") sums.unfinished++;
    const proofs = existsSync(path.replace(/\.rca(\.partial)?$/, ".rcx"));
    try {
      const counts = await verifySegment(path, { proofs, keysOf, onDamage, ...(signal !== undefined && { signal }) });
      for (const name of ["repos", "records", "bytes", "provenRepos", "problems"] as const) sums[name] += counts[name];
      for (const [reason, many] of Object.entries(counts.unproven)) {
        unproven.set(reason, (unproven.get(reason) ?? 0) + many);
      }
    } catch (error) {
      if (!(error instanceof TrawlError) || !UNREADABLE.has(error.code)) throw error;
      // A writer may have created the file but not yet written its header.
      const torn = state === "partial" && error.code === "NOT_A_SEGMENT";
      if (!torn) sums.problems++;
      onDamage({ path, offset: 0, did: null, reason: error.message, torn });
    }
  }
  const { problems, ...events } = await verifyEvents(folder, {
    keysOf,
    onDamage,
    ...(signal !== undefined && { signal }),
  });
  sums.problems += problems;
  if (sums.segments === 0) throw new TrawlError("NO_SEGMENTS", "The archive has no .rca segments.");
  const reasons: Readonly<Record<string, string>> = UNPROVEN;
  return {
    isIntact: sums.problems === 0,
    ...sums,
    ...events,
    unproven: [...unproven].map(([reason, repos]) => ({ repos, reason: reasons[reason] ?? reason })),
    listed,
  };
}
