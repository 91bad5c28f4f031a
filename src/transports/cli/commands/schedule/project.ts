/** The project that was typed: its domain, a URL of it, or its number. */
import type { App } from "../../../../app/app.ts";
import type { ProjectInfo } from "../../../../app/operations/shapes.ts";
import { domainOf, normalizeUrl } from "../../../../app/url-input.ts";
import { TrawlError } from "../../../../errors.ts";

export function projectNamed(app: App, typed: string): ProjectInfo {
  const projects = app.projects.list();
  const found = /^\d+$/.test(typed)
    ? projects.find(({ id }) => id === Number(typed))
    : projects.find(({ domain }) => domain === typed.toLowerCase() || domain === domainOf(normalizeUrl(typed)));
  if (found === undefined) {
    throw new TrawlError(
      "PROJECT_NOT_FOUND",
      `There is no project "${typed}" yet: crawl it once, with the settings it should have.`,
    );
  }
  return found;
}
