/** Following the network: recording its events, and what they tell about accounts. */
export { Follow, type FollowProgress } from "../../atproto/follow/follow.ts";
export { FOLLOW_DEFAULTS, type FollowSettings, parseFollowSource } from "../../atproto/follow/follow-config.ts";
