/** Segments on disk: their contents, whether they are intact, and how they differ. */

export { type CatRecord, catRepo } from "../../atproto/catalogue/cat-repo.ts";
export { catalogueFolder } from "../../atproto/catalogue/catalogue.ts";
export { type CompactResult, compactArchive, indexArchive } from "../../atproto/catalogue/compact.ts";
export { diffArchives } from "../../atproto/catalogue/diff-archives.ts";
export { findProven } from "../../atproto/catalogue/find-repo.ts";
export type { IndexResult } from "../../atproto/catalogue/index-segments.ts";
export { type EventCounts, verifyEvents } from "../../atproto/follow/verify-events.ts";
export { isDid } from "../../atproto/identity/did.ts";
export { accountStatus } from "../../atproto/inactive-accounts.ts";
export type { Damage } from "../../atproto/rca/format/bytes.ts";
export type { IndexEntry } from "../../atproto/rca/format/frame.ts";
export { type SegmentName, segmentNames } from "../../atproto/rca/format/segment-names.ts";
export { assertSegments } from "../../atproto/rca/read/archive.ts";
export type { RepoChange } from "../../atproto/rca/read/diff.ts";
export { inspectSegment, type SegmentInspection } from "../../atproto/rca/read/inspect.ts";
export { UNPROVEN } from "../../atproto/rca/repair/check-proof.ts";
export { type RepairResult, repairSegment } from "../../atproto/rca/repair/repair-segments.ts";
export { signedCar } from "../../atproto/rca/repair/signed-car.ts";
export { type VerifyAllOptions, verifyEverySegment } from "../../atproto/rca/repair/verify-every-segment.ts";
export { type VerifyCounts, verifySegment } from "../../atproto/rca/repair/verify-segments.ts";
export { openSigningKeys } from "../../atproto/signing-keys.ts";
