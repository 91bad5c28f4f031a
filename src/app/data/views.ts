/** Saved views of the explorer: a name for columns, filters and an order. Stored in the registry, for all projects. */
import type { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { FIELD_NAMES, fieldNamed } from "../../site/facts/fact-fields.ts";
import { parseFilter } from "../../site/store/filter/filter.ts";
import { unknownField } from "../../site/store/filter/unknown-field.ts";
import type { SavedView, View } from "../operations/views.ts";

export class Views {
  readonly #db: DatabaseSync;
  readonly #clock: Clock;

  constructor(db: DatabaseSync, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  list(): SavedView[] {
    return this.#db.prepare("SELECT id, name, view FROM views ORDER BY name COLLATE NOCASE, id").all().map(savedView);
  }

  /** Replaces a view with the same name. */
  save({ name, ...view }: View): SavedView {
    check(view);
    const now = this.#clock.now();
    const row = this.#db
      .prepare(
        `INSERT INTO views (name, view, created_at, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET view = excluded.view, updated_at = excluded.updated_at
         RETURNING id, name, view`,
      )
      .get(name, JSON.stringify(view), now, now);
    return savedView(row!);
  }

  remove(id: number): { done: true } {
    const { changes } = this.#db.prepare("DELETE FROM views WHERE id = ?").run(id);
    if (changes === 0) throw new TrawlError("VIEW_NOT_FOUND", `There is no view ${id}.`);
    return { done: true };
  }
}

/** An invalid view is refused when it is saved, not when it is opened. */
function check({ fields, filter, sort }: Omit<View, "name">): void {
  const unknown = [...fields, ...(sort === null ? [] : [sort.replace(/^-/, "")])].find(
    (name) => fieldNamed(name) === undefined,
  );
  if (unknown !== undefined) throw unknownField(unknown, FIELD_NAMES);
  for (const text of filter) parseFilter(text);
}

function savedView(row: Record<string, unknown>): SavedView {
  const { fields, filter, search, sort } = JSON.parse(row["view"] as string) as Omit<View, "name">;
  return { id: row["id"] as number, name: row["name"] as string, fields, filter, search, sort };
}
