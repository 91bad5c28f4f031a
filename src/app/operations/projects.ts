/** Operations on projects: the websites that were crawled, by domain. */
import { z } from "zod";
import { done, id, operation } from "./operation.ts";
import { crawlInfo, projectInfo } from "./shapes.ts";

export const listProjects = operation({
  name: "listProjects",
  kind: "read",
  summary: "All projects, the one crawled last first",
  input: z.object({}),
  output: z.array(projectInfo),
  run: (app) => app.projects.list(),
});

export const listProjectCrawls = operation({
  name: "listProjectCrawls",
  kind: "read",
  summary: "The crawls of a project, newest first",
  input: z.object({ id }),
  output: z.array(crawlInfo),
  run: (app, { id }) => app.projects.crawls(id),
});

export const deleteProject = operation({
  name: "deleteProject",
  kind: "destroy",
  summary: "Delete a project with all its crawls and their data; refused while one of them runs",
  input: z.object({ id }),
  output: done,
  run: (app, { id }) => app.projects.remove(id),
});
