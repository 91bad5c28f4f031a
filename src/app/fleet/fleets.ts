/**
 * The fleet crawls of the database that the owner of this machine named, for the server. Owners who name no database
 * pay nothing: the code for fleets is loaded with the first question that needs it.
 */
import { TrawlError } from "../../errors.ts";
import type { App } from "../app.ts";
import type { FleetStatus, UnreadableFleet } from "./control.ts";
import type { FleetPulled } from "./pull.ts";

export class Fleets {
  readonly #app: App;
  readonly #postgres: string | null;

  /** `postgres`: as in TRAWL_POSTGRES; null without a database. */
  constructor(app: App, postgres: string | null) {
    this.#app = app;
    this.#postgres = postgres;
  }

  async list(): Promise<{ isConfigured: boolean; rows: (FleetStatus | UnreadableFleet)[] }> {
    if (this.#postgres === null) return { isConfigured: false, rows: [] };
    const { listFleets } = await import("./control.ts");
    return { isConfigured: true, rows: await listFleets(this.#postgres) };
  }

  async status(name: string): Promise<FleetStatus> {
    const { statusOfFleet } = await import("./control.ts");
    return statusOfFleet(name, this.#address);
  }

  /** Pausing and stopping return when no worker sends requests any more. */
  async change(name: string, change: "pause" | "resume" | "stop"): Promise<FleetStatus> {
    const { pauseFleet, resumeFleet, stopFleet } = await import("./control.ts");
    await { pause: pauseFleet, resume: resumeFleet, stop: stopFleet }[change](name, this.#address);
    return this.status(name);
  }

  async pull(name: string, host: string | null): Promise<FleetPulled> {
    const { pullFleet } = await import("./pull.ts");
    return pullFleet(this.#app, { name, postgres: this.#address, host });
  }

  get #address(): string {
    if (this.#postgres !== null) return this.#postgres;
    throw new TrawlError("FLEET_NOT_CONFIGURED");
  }
}
