/** Webhook messages and their delivery: messages are stored, so a restart loses none, and delivery is retried. */
import { backOff } from "../../kernel/back-off.ts";
import type { Clock } from "../../kernel/clock.ts";
import { TrustedHosts } from "../../net/connection/address-guard.ts";
import type { AddressClass } from "../../net/connection/egress.ts";
import { hostAndPort } from "../../net/origin.ts";
import { FINISHED } from "../crawls/registry.ts";
import type { ScheduleRule } from "../operations/schedules.ts";
import { serviceClient } from "../service-client.ts";
import type { Changes, CrawlEnding, ScheduledProject } from "./crawl-host.ts";
import type { ScheduleStore, WaitingMessage } from "./schedule-store.ts";

/** A receiver that the user named. It may be on a private network, but must stay where it was at the first connection. */
export interface Receiver {
  /** Null until the first connection. */
  classes: readonly AddressClass[] | null;
  learn(classes: readonly AddressClass[]): void;
}

/** Returns the status of the answer; rejects when there was no answer. */
export type Post = (url: string, body: string, headers: Record<string, string>, receiver: Receiver) => Promise<number>;

/**
 * The first attempt and five retries, over about an hour: by then, a receiver that is being restarted or deployed is
 * back.
 */
const MAX_TRIES = 6;
/** 10 seconds, 40 seconds, and so on, and up to a quarter longer. */
const RETRY = { firstMs: 12_500, maxMs: 3_600_000, factor: 4, jitter: 0.2 };
/** Longer than any attempt takes: after this, a message of a process that died can be claimed again. */
const LEASE_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** More than a receiver needs for its answer. */
const MAX_ANSWER_BYTES = 65_536;

export const postJson: Post = async (url, body, headers, receiver) => {
  const host = hostAndPort(url);
  const known = new Map(receiver.classes === null ? [] : [[host, receiver.classes]]);
  const trusted = new TrustedHosts([host], known, (_host, classes) => receiver.learn(classes));
  const client = await serviceClient({ trusted, timeoutMs: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES });
  try {
    const answer = await client.fetch({
      url,
      method: "POST",
      body,
      headers: { ...headers, "content-type": "application/json" },
    });
    return answer.status;
  } finally {
    await client.destroy();
  }
};

export class Webhooks {
  readonly #store: ScheduleStore;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #post: Post;
  readonly #userAgent: string;

  constructor(store: ScheduleStore, clock: Clock, random: () => number, userAgent: string, post: Post = postJson) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    this.#userAgent = userAgent;
    this.#post = post;
  }

  /** Sends every message that is due. */
  async sendDue(): Promise<void> {
    for (let message = this.#next(); message !== null; message = this.#next()) await this.#send(message);
  }

  #next(): WaitingMessage | null {
    return this.#store.takeMessage(LEASE_MS);
  }

  async #send({ runId, url, event, body, tries }: WaitingMessage): Promise<void> {
    let problem: string;
    let isFinal = false;
    try {
      const headers = {
        "user-agent": this.#userAgent,
        "x-trawl-event": event,
        // The same for every attempt to send one message, so that a receiver can recognise a repetition.
        "x-trawl-delivery": String(runId),
      };
      const status = await this.#post(url, body, headers, this.#receiver(url));
      if (status >= 200 && status < 300) {
        this.#store.setMessageOutcome(runId, `sent (${status})`, null);
        return;
      }
      problem = `answered ${status}`;
      isFinal = isRefusal(status);
    } catch (error) {
      problem = (error as Error).message || "no answer";
    }
    if (isFinal || tries >= MAX_TRIES) {
      this.#store.setMessageOutcome(
        runId,
        `given up after ${tries} ${tries === 1 ? "attempt" : "attempts"}: ${problem}`,
        null,
      );
      return;
    }
    const waitMs = backOff(RETRY, tries, this.#random);
    this.#store.setMessageOutcome(runId, `will be retried: ${problem}`, this.#clock.now() + Math.round(waitMs));
  }

  #receiver(url: string): Receiver {
    const host = hostAndPort(url);
    const classes = this.#store.receiverClasses(host);
    return { classes, learn: (found) => classes === null && this.#store.setReceiver(host, found) };
  }
}

/** A 4xx means that the same message would be refused again, except for a few that mean "later". */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && ![408, 425, 429].includes(status);

type Event = ScheduleRule["notifyOn"][number];

export interface RunReport {
  project: ScheduledProject;
  crawlId: number | null;
  dueAt: number;
  ending: CrawlEnding;
  changes: Changes | null;
}

/** The message that the rule requires; null for no message. It is named after the most important event. */
export function messageOf(rule: ScheduleRule, report: RunReport): { url: string; event: string; body: string } | null {
  if (rule.webhook === null) return null;
  const event = eventsOf(report).find((name) => rule.notifyOn.includes(name));
  if (event === undefined) return null;
  const { project, crawlId, dueAt, ending, changes } = report;
  const body = { event, project, crawl: { id: crawlId, ...ending }, changes, dueAt: new Date(dueAt).toISOString() };
  return { url: rule.webhook, event, body: JSON.stringify(body) };
}

function eventsOf({ ending, changes }: RunReport): Event[] {
  // The person who stopped it knows, and nothing has failed.
  if (ending.state === "stopped") return [];
  if (!FINISHED.includes(ending.state)) return ["failed"];
  const hasChanged = changes !== null && changes.added + changes.gone + changes.notCrawled + changes.changed > 0;
  return hasChanged ? ["changed", "completed"] : ["completed"];
}
