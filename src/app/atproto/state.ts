/** What a crawl knows between runs: its status, its errors by class, and starting over. */
export { atprotoStatus, resetAtproto } from "../../atproto/atproto-status.ts";
export { ERROR_CLASSES, isErrorClass } from "../../atproto/error-classes.ts";
export type { StateConfig, StateSummary } from "../../atproto/state/crawl-state.ts";
