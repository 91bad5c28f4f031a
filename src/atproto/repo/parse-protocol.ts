/** What the pool and its threads say to each other. */
import type { PreparedRepo, PrepareOptions } from "./prepare-repo.ts";
import type { RepoErrorClass } from "./repo-error.ts";

export interface Order {
  car: Uint8Array;
  options: PrepareOptions;
}

export type Reply = { repo: PreparedRepo } | { error: { class: RepoErrorClass; reason: string } };
