/** Reading an archive: status, one page, search, verification and repair, and what the policy says about a URL. */
export { type ArchiveStatus, archiveStatus } from "../../archive/archive-status.ts";
export { type Choice, chooser, parseAge, parseStatuses, parseTypes } from "../../archive/choice.ts";
export { type Failure, failuresPath, readFailures } from "../../archive/failed-urls.ts";
export type { DamagedLine } from "../../archive/ledger/check.ts";
export { archiveCanonicalizer } from "../../archive/policy/canonical.ts";
export { type SearchAnswer, searchArchive } from "../../archive/search/search-archive.ts";
export type { Match } from "../../archive/search/text-index.ts";
export { catPage, isSha256, type StoredPage } from "../../archive/store/blob-store.ts";
export type { Problem, VerifyCounts } from "../../archive/store/verify-store.ts";
export { pagesNotInWarcs } from "../../archive/store/warc/missing-pages.ts";
export { type RepairedWarcs, repairWarcs } from "../../archive/store/warc/repair-warcs.ts";
export { verifyWarcs, type WarcCounts, type WarcProblem } from "../../archive/store/warc/verify-warcs.ts";
export { workspaceBlobs } from "../../archive/stores.ts";
export { type PolicyAnswer, validatePolicy } from "../../archive/validate-policy.ts";
export {
  checkLedgers,
  repairWorkspace,
  verifyWorkspace,
  type WorkspaceRepair,
} from "../../archive/verify-workspace.ts";
export { failureRow, matchRow, statusFacts } from "./answers.ts";
