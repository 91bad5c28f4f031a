/** Reading an archive: status, one page, verification and repair, and what the policy says about a URL. */
export { type ArchiveStatus, archiveStatus } from "../../archive/archive-status.ts";
export type { DamagedLine } from "../../archive/ledger/check.ts";
export { archiveCanonicalizer } from "../../archive/policy/canonical.ts";
export { catPage, isSha256, type StoredPage } from "../../archive/store/blob-store.ts";
export type { Problem, VerifyCounts } from "../../archive/store/verify-store.ts";
export { workspaceBlobs } from "../../archive/stores.ts";
export { type PolicyAnswer, validatePolicy } from "../../archive/validate-policy.ts";
export {
  checkLedgers,
  repairWorkspace,
  verifyWorkspace,
  type WorkspaceRepair,
} from "../../archive/verify-workspace.ts";
