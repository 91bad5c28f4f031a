/** The door of the demo site. */
export { PLACES } from "./places.ts";
export { type DemoSiteOptions, type RequestLog, type RunningDemoSite, startDemoSite } from "./server.ts";
export { DEMO_PAGE_COUNT } from "./site.ts";
