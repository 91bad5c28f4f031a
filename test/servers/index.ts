/** The entry point of the test servers. */
export * from "./big-discovery-site.ts";
export * from "./counting-site.ts";
export * from "./server-process.ts";
