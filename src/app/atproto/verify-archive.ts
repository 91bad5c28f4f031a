/** Every segment and recorded event of an archive checked, with the keys that its crawl found: the counts, and the first problems. */
import { assertRecorded } from "../../atproto/assert-archive.ts";
import { verifyEvents } from "../../atproto/follow/verify-events.ts";
import type { Damage } from "../../atproto/rca/format/bytes.ts";
import { PARTIAL_SUFFIX } from "../../atproto/rca/format/segment-names.ts";
import { UNPROVEN } from "../../atproto/rca/repair/check-proof.ts";
import { verifyEverySegment } from "../../atproto/rca/repair/verify-every-segment.ts";
import { openSigningKeys } from "../../atproto/signing-keys.ts";
import type { RepoVerification } from "../operations/atproto.ts";

/** More are counted, but not listed. */
const LISTED_PROBLEMS = 200;

export async function verifyArchive(folder: string, signal?: AbortSignal): Promise<RepoVerification> {
  const sums = { segments: 0, unfinished: 0, repos: 0, records: 0, bytes: 0, provenRepos: 0, problems: 0 };
  const unproven = new Map<string, number>();
  const listed: RepoVerification["listed"] = [];
  const onDamage = ({ path, offset, did, reason, torn }: Damage): void => {
    if (!torn && listed.length < LISTED_PROBLEMS) listed.push({ file: path, offset, did, reason });
  };
  await assertRecorded(folder);
  using keys = openSigningKeys(folder, null);
  const keysOf = (did: string) => keys.of(did);
  const checking = { keysOf, onDamage, ...(signal !== undefined && { signal }) };
  for await (const counts of verifyEverySegment(folder, checking)) {
    sums.segments++;
    if (!counts.indexed && counts.path.endsWith(PARTIAL_SUFFIX)) sums.unfinished++;
    for (const name of ["repos", "records", "bytes", "provenRepos", "problems"] as const) sums[name] += counts[name];
    for (const [reason, many] of Object.entries(counts.unproven)) {
      unproven.set(reason, (unproven.get(reason) ?? 0) + many);
    }
  }
  const { problems, ...events } = await verifyEvents(folder, checking);
  sums.problems += problems;
  const reasons: Readonly<Record<string, string>> = UNPROVEN;
  return {
    isIntact: sums.problems === 0,
    ...sums,
    ...events,
    unproven: [...unproven].map(([reason, repos]) => ({ repos, reason: reasons[reason] ?? reason })),
    listed,
  };
}
