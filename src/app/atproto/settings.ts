/** What a crawl starts with: its settings, its sources, and the classes of errors. */
export {
  type AtprotoConfig,
  atprotoConfigSchema,
  parseAtprotoConfig,
  parseSize,
} from "../../atproto/atproto-config.ts";
export { parseSource } from "../../atproto/crawl/crawl-sources.ts";
export { ERROR_CLASSES, isErrorClass } from "../../atproto/error-classes.ts";
export { HOST_TIERS, isTierName } from "../../atproto/lane-policy.ts";
