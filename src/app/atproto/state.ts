/** What a crawl stores between runs: its status, and starting over. */
export { atprotoStatus, forgetAccount, resetAtproto } from "../../atproto/atproto-status.ts";
export type { StateConfig, StateSummary } from "../../atproto/state/crawl-state.ts";
