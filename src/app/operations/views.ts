/** Saved views of the explorer: a name for columns, filters and an order. Shared by all projects. */
import { z } from "zod";
import { allOf, done, id, operation, pageOf } from "./operation.ts";

const view = z.object({
  name: z.string().min(1).max(100),
  fields: z.array(z.string()).min(1).max(100),
  filter: z.array(z.string()).max(50),
  search: z.string().nullable(),
  sort: z.string().nullable(),
});
export const savedView = view.extend({ id: z.int() }).meta({ id: "View" });

export type View = z.output<typeof view>;
export type SavedView = z.output<typeof savedView>;

export const listViews = operation({
  name: "listViews",
  kind: "read",
  summary: "Saved views of the explorer",
  input: z.object({}),
  output: pageOf(savedView),
  run: (app) => allOf(app.views.list()),
});

export const saveView = operation({
  name: "saveView",
  kind: "change",
  summary: "Save a view under its name; replaces a view with the same name",
  errors: ["VIEW_NOT_FOUND", "BAD_USAGE"],
  input: view,
  output: savedView,
  run: (app, input) => app.views.save(input),
});

export const deleteView = operation({
  name: "deleteView",
  kind: "destroy",
  summary: "Delete a saved view",
  errors: ["VIEW_NOT_FOUND"],
  input: z.object({ id }),
  output: done,
  run: (app, { id }) => app.views.remove(id),
});
