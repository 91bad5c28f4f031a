/**
 * How fast a fleet is while it works: between the first and the last tenth of the answers, without the seconds in which
 * workers join and leave. The hosts count the answers, because pages are stored later and not in the order of their
 * requests, so their number would run ahead or lag behind.
 */
import type { Site } from "./fleet-site.ts";

const LOOK_MS = 100;

export class Progress {
  readonly #samples: { at: number; answered: number }[] = [];
  #isOver = false;
  readonly #looking: Promise<void>;

  /** `site`: of a crawl that is about to be started. */
  constructor(site: Site) {
    this.#looking = this.#look(site);
  }

  async #look(site: Site): Promise<void> {
    const before = await site.answered();
    while (!this.#isOver) {
      this.#samples.push({ at: performance.now(), answered: (await site.answered()) - before });
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** URLs per second, for this many URLs. Ends the measurement. */
  async steadyRate(urls: number): Promise<number> {
    this.#isOver = true;
    await this.#looking;
    const all = this.#samples.at(-1)!.answered;
    const from = this.#samples.find(({ answered }) => answered >= all * 0.1)!;
    const to = this.#samples.find(({ answered }) => answered >= all * 0.9)!;
    return (((to.answered - from.answered) / all) * urls * 1_000) / (to.at - from.at);
  }
}
