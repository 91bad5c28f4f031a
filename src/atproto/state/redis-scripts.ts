/** A state in Redis: its keys, who owns it, and what is done in one step by a script. */
import { hostname } from "node:os";

const PREFIX = "crawler:";
export const FAILED_PREFIX = `${PREFIX}failed:`;

/** `share` is empty for a crawl that is not shared. */
export const redisKeys = (share: string) => {
  const own = share === "" ? "" : `:${share}`;
  return {
    /** Set: DIDs stored, or failed for good. */
    completed: `${PREFIX}completed`,
    /** String: how far the most recently read source was read. */
    cursor: `${PREFIX}cursor${own}`,
    /** Hash: how far each source was read. */
    cursors: `${PREFIX}cursors${own}`,
    segmentNumber: `${PREFIX}segment_num${own}`,
    stats: `${PREFIX}stats${own}`,
    /** Hash: details about a failed DID. */
    details: `${PREFIX}details`,
    /** Hash: for a failed DID the hosts that were asked, each with its class and when it may be asked again, as JSON. */
    failures: `${PREFIX}failures`,
    lanes: `${PREFIX}lanes`,
    notes: `${PREFIX}notes${own}`,
    /** String that expires: the process that crawls with this state. */
    owner: `${PREFIX}owner${own}`,
    /** Set: every share that a process ever took, so that `status` and `reset` find all of them. */
    shares: `${PREFIX}shares`,
    /** Set: the shares whose last crawl was complete. */
    finished: `${PREFIX}finished`,
  };
};

export type RedisKeys = ReturnType<typeof redisKeys>;

export const EVERY_KEY = `${PREFIX}*`;

// Scripts, so that a commit is atomic, and only the owner can commit.

/**
 * Takes the state, or gives the name of who has it. KEYS: owner, owner of all, shares. ARGV: me, ms, owners that are known
 * to be dead as JSON, share. A share is in the way of all, and all in the way of a share: `reset` takes all.
 */
export const TAKE_OWNERSHIP = `
local rivals = {KEYS[1], KEYS[2]}
if ARGV[4] == '' then
  for _, share in ipairs(redis.call('SMEMBERS', KEYS[3])) do table.insert(rivals, KEYS[2] .. ':' .. share) end
end
local gone = {[ARGV[1]] = true}
for _, dead in ipairs(cjson.decode(ARGV[3])) do gone[dead] = true end
for _, key in ipairs(rivals) do
  local owner = redis.call('GET', key)
  if owner and not gone[owner] then return owner end
end
if ARGV[4] ~= '' then redis.call('SADD', KEYS[3], ARGV[4]) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

/** KEYS: owner. ARGV: me, ms. */
export const RENEW_OWNERSHIP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** KEYS: owner. ARGV: me. */
export const GIVE_UP_OWNERSHIP = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`;

/**
 * One commit. KEYS: owner, completed, details, lanes, notes, cursors, cursor, stats, segment number, failures. ARGV: me, ms, the
 * prefix of the failure sets, a list of [did, class, final, detail, host, retry at], then lanes, notes and cursors as flat lists of pairs, each as
 * JSON; all classes; the stats, and the segment number or nothing.
 * Returns 0, and does nothing, when another process owns the state by now.
 */
export const COMMIT = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local classes = cjson.decode(ARGV[8])
for _, row in ipairs(cjson.decode(ARGV[4])) do
  local did, class, final, detail, host, retryAt = row[1], row[2], row[3], row[4], row[5], row[6]
  for _, other in ipairs(classes) do redis.call('SREM', ARGV[3] .. other, did) end
  if final == 1 then redis.call('SADD', KEYS[2], did) end
  if class ~= '' then redis.call('SADD', ARGV[3] .. class, did) end
  if detail ~= '' then redis.call('HSET', KEYS[3], did, detail) else redis.call('HDEL', KEYS[3], did) end
  if class == '' then redis.call('HDEL', KEYS[10], did) else
    local hosts = cjson.decode(redis.call('HGET', KEYS[10], did) or '{}')
    hosts[host] = {class, retryAt}
    redis.call('HSET', KEYS[10], did, cjson.encode(hosts))
  end
end
local function save(key, pairs)
  for at = 1, #pairs, 2 do redis.call('HSET', key, pairs[at], pairs[at + 1]) end
end
save(KEYS[4], cjson.decode(ARGV[5]))
save(KEYS[5], cjson.decode(ARGV[6]))
local cursors = cjson.decode(ARGV[7])
save(KEYS[6], cursors)
if #cursors > 0 then redis.call('SET', KEYS[7], cursors[#cursors]) end
save(KEYS[8], cjson.decode(ARGV[9]))
if ARGV[10] ~= '' then redis.call('SET', KEYS[9], ARGV[10]) end
return 1`;

// Which process crawls with the state. The claim expires, so that a machine that died keeps nobody out for long; a process
// that was taken for dead finds its commits refused, and stops.

/** Longer than any pause of a healthy process, but short enough to wait for. */
export const OWNER_EXPIRES_MS = 30_000;
export const OWNER_RENEWED_MS = 10_000;

export interface ProcessName {
  host: string;
  pid: number;
  /** Distinguishes two states of one process. */
  token: string;
}

export const thisProcess = (): ProcessName => ({
  host: hostname(),
  pid: process.pid,
  token: Math.random().toString(36).slice(2),
});

export const ownerText = ({ host, pid, token }: ProcessName): string => `${host} ${pid} ${token}`;

/** If the process is on this machine and has ended, there is no need to wait for its claim to expire. */
export function isDeadOwner(text: string, me: ProcessName, isAlive: (pid: number) => boolean): boolean {
  const [host, pid] = text.split(" ");
  return host === me.host && !isAlive(Number(pid));
}

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It belongs to another user, so it is running.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
