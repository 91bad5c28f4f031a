/** Names of what a crawl, a follower and the commands for an archive store next to its segments. */

/** The state between runs, unless it is in Redis. */
export const STATE_FILE = "state.db";
/** What is known about accounts: PDS and signing key by DID. A folder. */
export const IDENTITY_FOLDER = "identities";
/** DIDs that were read and wait for their hosts; deleted at the end of a crawl. */
export const BACKLOG_FILE = "backlog.tmp";
/** The catalogue of the archive that `since` names, unless that archive has one itself. A folder. */
export const SINCE_FOLDER = "since";
/** Records that `query` has loaded: a folder. */
export const QUERY_DATABASE = "query.chdb";
/** What a follower knows between runs. */
export const FOLLOW_FILE = "follow.db";
/** Held by the process that follows into the folder. */
export const FOLLOW_LOCK = "follow.lock";
