/**
 * How much of the memory that all bodies of the process share is used by one crawl's bodies, from the first byte until
 * the page is applied.
 */
import type { Outcome } from "../../kernel/product.ts";
import { type BodyBudget, type BodyShare, processBodies } from "../../net/body-budget.ts";
import type { HttpResponse } from "../../net/client.ts";
import { headerBytes } from "../../net/headers.ts";
import { free } from "../../net/response.ts";
import { HtmlSource } from "../../web/html/index.ts";
import type { Visit } from "./site-visit.ts";

export class HeldBodies {
  readonly #keepsBodies: boolean;
  readonly #budget: BodyBudget;
  readonly #shares = new Set<BodyShare>();

  /** `keepsBodies`: callbacks use whole pages when they are applied. */
  constructor(keepsBodies: boolean, budget = processBodies) {
    this.#keepsBodies = keepsBodies;
    this.#budget = budget;
  }

  /** The body and what was read of it are in memory until the outcome is applied. */
  async hold<Rec, Meta, O extends Outcome<Rec, Meta>>(
    perform: (share: BodyShare) => Promise<O | null>,
  ): Promise<O | null> {
    const share = this.#budget.open();
    this.#shares.add(share);
    const release = () => {
      share[Symbol.dispose]();
      this.#shares.delete(share);
    };
    const outcome = await perform(share).catch((error) => {
      release();
      throw error;
    });
    if (outcome?.result !== "done") {
      release();
      return outcome;
    }
    share.keep(outcome.bytes ?? 0);
    const { settle } = outcome;
    outcome.settle = (offer, context) => {
      try {
        return settle(offer, context);
      } finally {
        release();
      }
    };
    return outcome;
  }

  /** Nothing more is read from it, so a large page releases its memory now. */
  read(visit: Visit, share: BodyShare): void {
    if (!this.#keepsBodies) shed(visit);
    share.keep(heldBy(visit));
  }

  /** For outcomes that will not be applied any more. */
  close(): void {
    for (const share of this.#shares) share[Symbol.dispose]();
    this.#shares.clear();
  }
}

/** No page written for people is longer. This much text of a longer page is kept until it is applied. */
export const MOST_TEXT_BYTES = 1 << 20;

/** This much of a file is needed again when it is applied. */
export const BODY_START_BYTES = 65_536;

/**
 * Releases the memory of a large page that has been read, because it may have to wait until others have been applied.
 */
export function shed(visit: Visit): void {
  const { response, html, content } = visit;
  if (html !== null && Math.max(html.length, response.body.length) > MOST_TEXT_BYTES) {
    visit.html = null;
    if (content !== null) content.links = { ...content.links, source: NO_SOURCE };
    if (html.buffer !== response.body.buffer) free(html);
  }
  shedBody(response);
}

export function shedBody(response: HttpResponse): void {
  const { body } = response;
  if (body.length <= MOST_TEXT_BYTES) return;
  response.body = Buffer.from(body.subarray(0, BODY_START_BYTES));
  free(body);
}

const NO_SOURCE = new HtmlSource("");

/** What a visit keeps in memory. */
export function heldBy({ response, html, content, rendered, links }: Visit): number {
  const texts = (content?.links.texts.length ?? 0) + (rendered?.content.links.texts.length ?? 0);
  const bodies = response.body.length + (html === null || html.buffer === response.body.buffer ? 0 : html.length);
  return (
    headerBytes(response.headers) + bodies + 2 * (rendered?.result.html.length ?? 0) + texts + links.targets.length * 80
  );
}
