/**
 * The processes that crawl together, with one Redis. Hosts are divided among those that are alive, and divided again whenever one joins,
 * leaves or dies: all of them stop, say so, and continue when everyone has. So no host is asked by two processes, and none is left
 * behind by one that was killed.
 */
import { hash } from "node:crypto";
import { TrawlError } from "../../errors.ts";
import { type Clock, sleep } from "../../kernel/clock.ts";
import { isProcessAlive } from "../../storage/process-alive.ts";
import { RedisConnection } from "./redis-connection.ts";
import {
  BEAT,
  isDeadOwner,
  JOIN,
  KEYS,
  LEAVE,
  OWNER_EXPIRES_MS,
  ownerText,
  type ProcessName,
  SAY,
  thisProcess,
} from "./redis-scripts.ts";
import { stateBusy } from "./redis-state.ts";

export interface CrawlMembersOptions {
  address: string;
  clock: Clock;
  me?: ProcessName;
  isAlive?: (pid: number) => boolean;
}

/** Whose hosts are whose, until somebody joins, leaves or dies. */
export interface Division {
  generation: number;
  members: readonly string[];
}

interface View {
  generation: number;
  /** What each member said last: the generation it has agreed to, and whether it is done with its hosts. */
  said: ReadonlyMap<string, string>;
}

/** How often each says that it is alive, and looks at the others. */
const BEAT_MS = 2_000;
/** The same while it waits for the others. */
const WAIT_MS = 250;

export class CrawlMembers {
  readonly #options: CrawlMembersOptions;
  readonly #connection: RedisConnection;
  readonly me: ProcessName;
  /** Nobody else was there: sources may be read from the beginning. */
  readonly isFirst: boolean;
  #cancel = () => {};
  /** With null when this one was taken for dead. */
  #onView: (view: View | null) => void = () => {};

  private constructor(options: CrawlMembersOptions, connection: RedisConnection, me: ProcessName, isFirst: boolean) {
    this.#options = options;
    this.#connection = connection;
    this.me = me;
    this.isFirst = isFirst;
    this.#keepBeating();
  }

  /** Refuses while a process has the state for itself. */
  static async join(options: CrawlMembersOptions): Promise<CrawlMembers> {
    const { address, me = thisProcess() } = options;
    const connection = new RedisConnection(address);
    const dead: string[] = [];
    try {
      for (;;) {
        const answer = (await connection.ask((redis) =>
          redis.eval(
            JOIN,
            3,
            ...[KEYS.owner, KEYS.members, KEYS.generation],
            ...[ownerText(me), OWNER_EXPIRES_MS, JSON.stringify(dead)],
          ),
        )) as string | number;
        if (typeof answer === "number") {
          if (answer === 0) await connection.ask((redis) => redis.del(KEYS.partly));
          return new CrawlMembers(options, connection, me, answer === 0);
        }
        if (!isDeadOwner(answer, me, options.isAlive ?? isProcessAlive)) throw stateBusy(answer);
        dead.push(answer);
      }
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Resolves when every member has stopped what it did before, and knows of the same members. */
  async agree(signal: AbortSignal): Promise<Division> {
    for (;;) {
      const { generation, said } = await this.#beat();
      if (said.get(ownerText(this.me))?.split(" ")[0] !== `${generation}`) await this.#say(`${generation}`);
      else if ([...said.values()].every((text) => text.split(" ")[0] === `${generation}`)) {
        return { generation, members: [...said.keys()].sort() };
      } else await sleep(this.#options.clock, WAIT_MS, signal);
      signal.throwIfAborted();
    }
  }

  /** Calls back when hosts have to be divided again. Returns a function that ends the watch. */
  watch({ generation }: Division, onChange: () => void): () => void {
    this.#onView = (view) => {
      if (view === null || view.generation !== generation) onChange();
    };
    return () => {
      this.#onView = () => {};
    };
  }

  /** Waits for the others. False when hosts have to be divided again. */
  async done({ generation }: Division, isPartly: boolean, signal: AbortSignal): Promise<boolean> {
    const mine = `${generation} done`;
    if (isPartly) await this.#connection.ask((redis) => redis.set(KEYS.partly, "1"));
    await this.#say(mine);
    for (;;) {
      const view = await this.#beat();
      if (view.generation !== generation) return false;
      if ([...view.said.values()].every((text) => text === mine)) return true;
      await sleep(this.#options.clock, WAIT_MS, signal);
      signal.throwIfAborted();
    }
  }

  /** Whether every member has read all of its hosts to their end. */
  async isWhole(): Promise<boolean> {
    return (await this.#connection.ask((redis) => redis.exists(KEYS.partly))) === 0;
  }

  async leave(): Promise<void> {
    this.#cancel();
    this.#onView = () => {};
    await this.#connection
      .ask((redis) => redis.eval(LEAVE, 2, ...[KEYS.members, KEYS.generation], ownerText(this.me)))
      // It expires by itself.
      .catch(() => {});
    this.#connection.close();
  }

  /** As long as it is a member, whatever it does: bringing a catalogue up to date may take minutes. */
  #keepBeating(): void {
    this.#cancel = this.#options.clock.after(BEAT_MS, async () => {
      this.#keepBeating();
      try {
        this.#onView(await this.#beat());
      } catch (error) {
        // If Redis does not answer, the next commit reports it.
        if (error instanceof TrawlError && error.code === "STATE_BUSY") this.#onView(null);
      }
    });
  }

  async #say(text: string): Promise<void> {
    await this.#connection.ask((redis) => redis.eval(SAY, 1, KEYS.members, ownerText(this.me), text));
  }

  async #beat(): Promise<View> {
    const dead: string[] = [];
    for (;;) {
      const answer = (await this.#connection.ask((redis) =>
        redis.eval(
          BEAT,
          2,
          ...[KEYS.members, KEYS.generation],
          ...[ownerText(this.me), OWNER_EXPIRES_MS, JSON.stringify(dead)],
        ),
      )) as [string, string[]] | null;
      if (answer === null) {
        throw new TrawlError("STATE_BUSY", "This process was taken for dead, and others have taken over its hosts.");
      }
      const [generation, pairs] = answer;
      const said = new Map<string, string>();
      for (let at = 0; at < pairs.length; at += 2) said.set(pairs[at]!, pairs[at + 1]!);
      const { isAlive = isProcessAlive } = this.#options;
      const gone = [...said.keys()].filter((name) => !dead.includes(name) && isDeadOwner(name, this.me, isAlive));
      if (gone.length === 0) return { generation: Number(generation), said };
      dead.push(...gone);
    }
  }
}

/** Whether a host is another member's. Each member comes out on top for its part of the hosts; when one goes, only its hosts change hands. */
export function divisionRule({ members }: Division, me: ProcessName): (origin: string) => boolean {
  const mine = ownerText(me);
  const others = members.filter((member) => member !== mine);
  const rank = (member: string, origin: string): string => hash("sha256", `${member}\n${origin}`);
  return (origin) => others.some((member) => rank(member, origin) > rank(mine, origin));
}
