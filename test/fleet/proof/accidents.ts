/** What goes wrong during a proof, in a fixed order, while workers are killed at random. */
import type { ChildProcess } from "node:child_process";
import type { Cut, CuttingProxy } from "../../../src/fleet/testing/cutting-proxy.ts";
import type { TestPostgres } from "../../../src/fleet/testing/postgres-server.ts";
import { seededRandom } from "../../../src/kernel/testing/random.ts";
import { type FleetProof, sleep } from "./proof.ts";

const startedAt = performance.now();
export const say = (text: string): void =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`);

export interface AccidentOptions {
  kills: number;
  speed: number;
  seed: number;
}

export class Accidents {
  readonly #proof: FleetProof;
  readonly #servers: [TestPostgres, TestPostgres, TestPostgres];
  readonly #proxies: CuttingProxy[];
  readonly #random: () => number;
  readonly #options: AccidentOptions;

  constructor(
    proof: FleetProof,
    servers: [TestPostgres, TestPostgres, TestPostgres],
    proxies: CuttingProxy[],
    options: AccidentOptions,
  ) {
    this.#options = options;
    this.#proof = proof;
    this.#servers = servers;
    this.#proxies = proxies;
    this.#random = seededRandom(options.seed);
  }

  async happen(): Promise<void> {
    const { kills } = this.#options;
    this.#proof.work({ TRAWL_PROOF_JUMP: "3600" });
    for (let count = 1; count < 4; count++) this.#proof.work();
    await this.#progress();
    const between: Record<number, () => Promise<void>> = {
      [Math.floor(kills * 0.2)]: () => this.#cut(),
      [Math.floor(kills * 0.35)]: () => this.#stopOne(),
      [Math.floor(kills * 0.5)]: () => this.#crash(),
      [Math.floor(kills * 0.65)]: () => this.#promoteSynchronous(),
      [Math.floor(kills * 0.85)]: () => this.#promoteAsynchronous(),
    };
    for (let kill = 1; kill <= kills; kill++) {
      await between[kill]?.();
      await this.#killAny(kill);
      await sleep(1_000 + this.#random() * 4_000);
    }
    say("the rest is crawled in peace");
    for (let last = -1; this.#proof.workers.size > 0; await sleep(1_000)) {
      const settled = await this.#proof.settled();
      if (Math.floor(settled / 2_000) > Math.floor(last / 2_000)) say(`${settled} URLs are settled`);
      last = settled;
    }
  }

  #any(): ChildProcess {
    const workers = [...this.#proof.workers];
    return workers[Math.floor(this.#random() * workers.length)]!;
  }

  async #progress(): Promise<void> {
    await this.#proof.reach((await this.#proof.settled()) + 50);
  }

  async #killAny(kill: number): Promise<void> {
    const worker = this.#any();
    say(`kill ${kill}: ${worker.pid}; ${await this.#proof.settled()} URLs are settled`);
    await this.#proof.kill(worker);
    this.#proof.work();
  }

  async #cut(): Promise<void> {
    say("ten connections are cut around COMMIT");
    this.#proxies[0]!.cutNext(...Array.from({ length: 10 }, (_, at): Cut => (at % 2 === 0 ? "before" : "after")));
    await this.#progress();
  }

  async #stopOne(): Promise<void> {
    const worker = this.#any();
    const seconds = 25 / this.#options.speed;
    say(`${worker.pid} is stopped for ${seconds} s`);
    worker.kill("SIGSTOP");
    setTimeout(() => worker.kill("SIGCONT"), seconds * 1_000);
    await sleep(seconds * 500);
  }

  async #crash(): Promise<void> {
    say("PostgreSQL crashes and starts again");
    await this.#servers[0].crash(() => sleep(2_000));
    await this.#progress();
  }

  async #promoteSynchronous(): Promise<void> {
    say("the server is lost, and its synchronous standby promoted");
    await this.#servers[0].kill();
    await this.#servers[1].promote();
    await this.#progress();
  }

  /** It follows the server that was just promoted, and is cut off from it before that is lost too. */
  async #promoteAsynchronous(): Promise<void> {
    await this.#servers[2].fallBehind();
    const before = await this.#proof.settled();
    // Behind by two seconds at least, and by something that can be lost.
    await sleep(2_000);
    await this.#proof.reach(before + 20);
    const lost = (await this.#proof.settled()) - before;
    say(`that server is lost too, and a standby promoted that is 2 s behind: about ${lost} settled URLs are lost`);
    await this.#servers[1].kill();
    await this.#servers[2].promote();
    await this.#progress();
  }
}
