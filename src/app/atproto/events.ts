/** The events that `follow` recorded, as people and programs read them, and how obsolete ones are dropped. */
export { assertRecorded } from "../../atproto/assert-archive.ts";
export { compactEvents } from "../../atproto/follow/compact-events.ts";
export { eventSegments } from "../../atproto/follow/event-segments.ts";
export { type ListedEvent, listEvents } from "../../atproto/follow/list-events.ts";
export type { RewriteResult } from "../../atproto/follow/rewrite-events.ts";
