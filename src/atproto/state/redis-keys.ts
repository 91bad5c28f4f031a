/** The names in Redis: those of the crawler that this product takes the place of, and a few beside them. */

const PREFIX = "crawler:";
export const FAILED_PREFIX = `${PREFIX}failed:`;

/** `share` is empty for a crawl that does all by itself. */
export const redisKeys = (share: string) => {
  const own = share === "" ? "" : `:${share}`;
  return {
    /** Set: DIDs stored, or failed for good. */
    completed: `${PREFIX}completed`,
    /** String: how far the source was read that moved last. */
    cursor: `${PREFIX}cursor${own}`,
    /** Hash: how far each source was read. */
    cursors: `${PREFIX}cursors${own}`,
    segmentNumber: `${PREFIX}segment_num${own}`,
    stats: `${PREFIX}stats${own}`,
    /** Hash: what a person should know of a failed DID. */
    details: `${PREFIX}details`,
    lanes: `${PREFIX}lanes`,
    notes: `${PREFIX}notes${own}`,
    /** String that expires: the process that crawls with this state. */
    owner: `${PREFIX}owner${own}`,
    /** Set: every share that a process ever took, so that whoever asks for all finds them. */
    shares: `${PREFIX}shares`,
  };
};

export type RedisKeys = ReturnType<typeof redisKeys>;

export const EVERY_KEY = `${PREFIX}*`;
