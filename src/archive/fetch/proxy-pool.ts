/**
 * Chooses the proxy for the next request. One that was told to slow down rests; the pace of the host itself is the
 * lane's.
 */
import type { Clock } from "../../kernel/clock.ts";
import type { ArchiveConfig } from "../config/archive-config.ts";

export interface ProxyResult {
  /** Null when there was no answer. */
  status: number | null;
  throttled: boolean;
  /** How long it was told to wait. */
  forMs: number | null;
}

interface Member<T> {
  id: string;
  value: T;
  restsUntil: number;
}

export interface Picked<T> {
  id: string;
  value: T;
}

export class ProxyPool<T> {
  readonly #members: Member<T>[];
  readonly #settings: Pick<ArchiveConfig["proxies"], "rotation_strategy" | "rest_sec">;
  readonly #clock: Clock;
  readonly #random: () => number;
  #next = 0;

  constructor(
    members: { id: string; value: T }[],
    settings: Pick<ArchiveConfig["proxies"], "rotation_strategy" | "rest_sec">,
    clock: Clock,
    random: () => number,
  ) {
    this.#members = members.map((member) => ({ ...member, restsUntil: 0 }));
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
  }

  /** A proxy that is not resting; null while all of them are. */
  pick(): Picked<T> | null {
    const now = this.#clock.now();
    const awake = this.#members.filter((member) => member.restsUntil <= now);
    if (awake.length === 0) return null;
    if (this.#settings.rotation_strategy === "random") return awake[Math.floor(this.#random() * awake.length)]!;
    // The next available one in the list, so that a rest does not change whose turn it is.
    for (;;) {
      const member = this.#members[this.#next++ % this.#members.length]!;
      if (member.restsUntil <= now) return member;
    }
  }

  /** When the first of them can be used again. */
  awakeAt(): number {
    return Math.min(...this.#members.map((member) => member.restsUntil));
  }

  report(id: string, { throttled, forMs }: ProxyResult): void {
    const member = this.#members.find((one) => one.id === id);
    if (member === undefined || !throttled) return;
    const rest = Math.max(forMs ?? 0, this.#settings.rest_sec * 1000);
    member.restsUntil = Math.max(member.restsUntil, this.#clock.now() + rest);
  }
}

/** Host and port: a proxy's password does not belong in the metadata. */
export const proxyId = (url: string): string => new URL(url).host;
