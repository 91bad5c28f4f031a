/** What failed, by repo and by host, and how to try some of it again. */
export { assignTier } from "../../atproto/host-tiers.ts";
export {
  countFailures,
  type FailedRepo,
  type FailureFilter,
  failedRepos,
  type HostReport,
  hostReports,
  requireState,
  retryFailures,
} from "../../atproto/state/failures.ts";
