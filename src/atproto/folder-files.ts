/** What a crawl and the commands over its archive keep beside the segments. */

/** What is remembered between runs, unless it is in Redis. */
export const STATE_FILE = "state.db";
/** DIDs of a PLC export, while it is read. */
export const PLC_FILE = "plc.db";
/** Revisions of the archive that `since` names. */
export const SINCE_FILE = "since.db";
/** Records that `query` has loaded: a folder. */
export const QUERY_DATABASE = "query.chdb";
