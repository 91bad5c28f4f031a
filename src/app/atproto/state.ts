/** What a crawl stores between runs: its status, and starting over. */
export { assertArchive } from "../../atproto/assert-archive.ts";
export { atprotoStatus, forgetAccount, resetAtproto } from "../../atproto/atproto-status.ts";
export type { StateConfig, StateSummary } from "../../atproto/state/crawl-state.ts";
