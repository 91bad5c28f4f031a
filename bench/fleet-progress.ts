/** How fast a fleet is while it works: between its first and its last tenth, without the seconds in which workers join and leave. */
import { schemaOf } from "../src/fleet/postgres/schema.ts";
import { inspect, type TestPostgres } from "../src/fleet/testing/postgres-server.ts";

const LOOK_MS = 250;

export class Progress {
  readonly #samples: { at: number; settled: number }[] = [];
  #isOver = false;
  readonly #looking: Promise<void>;

  /** `name`: of a crawl that is about to be started. */
  constructor(postgres: TestPostgres, name: string) {
    this.#looking = this.#look(postgres, name);
  }

  async #look(postgres: TestPostgres, name: string): Promise<void> {
    const connection = inspect(postgres);
    const sql = `SELECT sum(settled)::int AS settled FROM ${schemaOf(name)}.parts`;
    while (!this.#isOver) {
      // It is not there before it is started.
      const [row] = await connection.query<{ settled: number }>(sql).catch(() => []);
      if (row !== undefined) this.#samples.push({ at: performance.now(), settled: row.settled });
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await connection.close();
  }

  /** URLs per second. Ends the looking. */
  async steadyRate(urls: number): Promise<number> {
    this.#isOver = true;
    await this.#looking;
    const from = this.#samples.find(({ settled }) => settled >= urls * 0.1)!;
    const to = this.#samples.find(({ settled }) => settled >= urls * 0.9)!;
    return ((to.settled - from.settled) * 1_000) / (to.at - from.at);
  }
}
