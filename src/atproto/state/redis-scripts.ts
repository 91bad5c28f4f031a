/** A state in Redis: its keys, who owns it, and what is done in one step by a script. */
import { hostname } from "node:os";

const PREFIX = "crawler:";
export const FAILED_PREFIX = `${PREFIX}failed:`;

export const KEYS = {
  /** Set: DIDs stored, or failed for good. */
  completed: `${PREFIX}completed`,
  /** String: how far the most recently read source was read. */
  cursor: `${PREFIX}cursor`,
  /** Hash: how far each source was read. */
  cursors: `${PREFIX}cursors`,
  /** String, as the Go crawler has it; */
  segmentNumber: `${PREFIX}segment_num`,
  /** and a hash, by machine and folder: each process has its own segments. */
  segments: `${PREFIX}segments`,
  stats: `${PREFIX}stats`,
  /** Hash: details about a failed DID. */
  details: `${PREFIX}details`,
  /** Hash: for a failed DID the hosts that were asked, each with its class and when it may be asked again, as JSON. */
  failures: `${PREFIX}failures`,
  lanes: `${PREFIX}lanes`,
  notes: `${PREFIX}notes`,
  /** String that expires: the process that has the state for itself. */
  owner: `${PREFIX}owner`,
  /** Hash: the processes that crawl together, each with the generation it has agreed to. */
  members: `${PREFIX}members`,
  /** Counts how often the members changed. */
  generation: `${PREFIX}generation`,
  /** String: some member could not read all of its hosts, so cursors are kept. */
  partly: `${PREFIX}partly`,
} as const;

/** Followed by a member: a key that expires unless it is renewed. */
const ALIVE_PREFIX = `${PREFIX}alive:`;

export const EVERY_KEY = `${PREFIX}*`;

// Scripts, so that a commit is atomic, and only the owner can commit.

/** Lua: `gone(name)` is whether a process is known to be dead; ARGV[3] lists them as JSON. `alive(member)`. */
const LIVENESS = `
local dead = {}
for _, name in ipairs(cjson.decode(ARGV[3])) do dead[name] = true end
local function alive(member)
  return not dead[member] and redis.call('EXISTS', '${ALIVE_PREFIX}' .. member) == 1
end
local function prune(members)
  local pruned = false
  for _, member in ipairs(redis.call('HKEYS', members)) do
    if member ~= ARGV[1] and not alive(member) then
      redis.call('HDEL', members, member)
      redis.call('DEL', '${ALIVE_PREFIX}' .. member)
      pruned = true
    end
  end
  return pruned
end`;

/** Takes the state for one process, or gives the name of who has it. KEYS: owner, members. ARGV: me, ms, the dead. */
export const TAKE_OWNERSHIP = `${LIVENESS}
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] and not dead[owner] then return owner end
for _, member in ipairs(redis.call('HKEYS', KEYS[2])) do
  if member ~= ARGV[1] and alive(member) then return member end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false`;

/**
 * Joins those that crawl together; gives the name of who has the state for itself, or whether somebody else is there. KEYS: owner,
 * members, generation. ARGV: me, ms, the dead.
 */
export const JOIN = `${LIVENESS}
local owner = redis.call('GET', KEYS[1])
if owner and not dead[owner] then return owner end
prune(KEYS[2])
local others = redis.call('HLEN', KEYS[2])
redis.call('HSET', KEYS[2], ARGV[1], '0')
redis.call('SET', '${ALIVE_PREFIX}' .. ARGV[1], '1', 'PX', ARGV[2])
redis.call('INCR', KEYS[3])
return others`;

/**
 * Still here. Gives the generation, then members with what they said; nothing when this one was taken for dead. KEYS: members,
 * generation. ARGV: me, ms, the dead.
 */
export const BEAT = `${LIVENESS}
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return false end
redis.call('SET', '${ALIVE_PREFIX}' .. ARGV[1], '1', 'PX', ARGV[2])
if prune(KEYS[1]) then redis.call('INCR', KEYS[2]) end
return {redis.call('GET', KEYS[2]), redis.call('HGETALL', KEYS[1])}`;

/** KEYS: members. ARGV: me, what it says. */
export const SAY = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])`;

/** The others divide its hosts among them, unless all are done. KEYS: members, generation. ARGV: me. */
export const LEAVE = `
local said = redis.call('HGET', KEYS[1], ARGV[1])
if not said then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('DEL', '${ALIVE_PREFIX}' .. ARGV[1])
local same = string.find(said, 'done') ~= nil
for _, other in ipairs(redis.call('HVALS', KEYS[1])) do same = same and other == said end
if not same then redis.call('INCR', KEYS[2]) end
return 1`;

/** KEYS: owner. ARGV: me, ms. */
export const RENEW_OWNERSHIP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** KEYS: owner. ARGV: me. */
export const GIVE_UP_OWNERSHIP = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`;

/**
 * One commit. KEYS: owner, completed, details, lanes, notes, cursors, cursor, stats, segment number, failures, members, segments. ARGV: me,
 * ms, the prefix of the failure sets, a list of [did, class, final, detail, host, retry at], then lanes, notes and cursors as flat lists of
 * pairs, each as JSON; all classes; what is added to the stats; the segment number or nothing; whose segments these are.
 * Returns 0, and does nothing, when another process owns the state by now, or has taken over the hosts of this one.
 */
export const COMMIT = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2])
elseif redis.call('HEXISTS', KEYS[11], ARGV[1]) == 0 then return 0 end
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
local added = cjson.decode(ARGV[9])
for at = 1, #added, 2 do redis.call('HINCRBY', KEYS[8], added[at], added[at + 1]) end
if ARGV[10] ~= '' then
  redis.call('SET', KEYS[9], ARGV[10])
  redis.call('HSET', KEYS[12], ARGV[11], ARGV[10])
end
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
