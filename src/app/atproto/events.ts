/** The events that `follow` recorded, as people and programs read them. */
export { type ListedEvent, listEvents } from "../../atproto/follow/list-events.ts";
