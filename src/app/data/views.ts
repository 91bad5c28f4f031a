/** Saved views of the explorer: a name for columns, filters and an order. Stored in the registry, for all projects. */
import type { DatabaseSync } from "node:sqlite";
import { TrawlError } from "../../errors.ts";
import type { Clock } from "../../kernel/clock.ts";
import { FIELD_NAMES, fieldNamed } from "../../site/facts/fact-fields.ts";
import { parseFilter } from "../../site/store/filter/filter.ts";
import { unknownField } from "../../site/store/filter/unknown-field.ts";
import { regexSize } from "../../web/safe-regex.ts";
import type { SavedView, View } from "../operations/views.ts";

/** All of them are sent to every screen. */
const MOST_VIEWS = 500;
const MOST_CHARACTERS = 20_000;
/** The largest total size of the filters, as `regexSize` counts: they are compiled while others wait. */
const MOST_STEPS = 20_000;

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
    this.#checkRoom(name);
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

  #checkRoom(name: string): void {
    const { others } = this.#db.prepare("SELECT count(*) AS others FROM views WHERE name <> ?").get(name)!;
    if ((others as number) < MOST_VIEWS) return;
    throw new TrawlError("BAD_USAGE", `There are ${MOST_VIEWS} views, the maximum.`, { hint: "Delete one first." });
  }

  remove(id: number): { done: true } {
    const { changes } = this.#db.prepare("DELETE FROM views WHERE id = ?").run(id);
    if (changes === 0) throw new TrawlError("VIEW_NOT_FOUND", `There is no view ${id}.`);
    return { done: true };
  }
}

/** An invalid view is refused when it is saved, not when it is opened. */
function check(view: Omit<View, "name">): void {
  const { fields, filter, sort } = view;
  const steps = filter.reduce((sum, text) => sum + regexSize(text), 0);
  if (JSON.stringify(view).length > MOST_CHARACTERS || steps > MOST_STEPS) {
    throw new TrawlError("BAD_USAGE", "This view is too large to be saved.", {
      hint: "Use fewer or shorter filters.",
    });
  }
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
