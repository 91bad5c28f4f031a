/** How a product's records get into the same transaction as the queue: a module that the store thread loads. */
import type { DatabaseSync } from "node:sqlite";
import type { Migrations } from "./schema.ts";

export interface RecordWriter<Rec> {
  write(id: number, record: Rec): void;
  /** Called when the crawl lets go of the database: the time to build indexes. */
  close(): void;
}

/** The default export of a record writer's module. */
export interface RecordStore<Rec> {
  /** Name of its part in the schema versions. */
  part: string;
  migrations: Migrations;
  open(db: DatabaseSync): RecordWriter<Rec>;
}
