/** How a page may look among search results: its title, address and description, cut where there is no more room. */
import { EmptyState } from "../../components/feedback/states.tsx";
import type { UrlDetail } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";
import { urlParts } from "../../lib/web-link.ts";

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

export function PreviewTab({ detail: { url, facts } }: { detail: UrlDetail }) {
  if (facts["outcome"] !== "page") {
    return <EmptyState title="No preview">Only pages are shown among search results.</EmptyState>;
  }
  const { origin, path } = urlParts(url);
  const title = textOf(facts["title"]);
  const description = textOf(facts["description"]);
  return (
    <div className="stack">
      <figure className="search-preview" aria-label="Search result">
        <span className="search-preview-url">
          {origin}
          {path}
        </span>
        <span className="search-preview-title">{title === "" ? "(no title)" : title}</span>
        <span className="search-preview-text">
          {description === "" ? "(no description: search engines choose a part of the text)" : description}
        </span>
      </figure>
      <p className="muted">
        Title: {widthOf(facts["titleLength"], facts["titlePixels"])}. Description:{" "}
        {widthOf(facts["descriptionLength"], facts["descriptionPixels"])}. Search engines may show other texts, and cut
        them elsewhere.
      </p>
      {facts["indexable"] === false && <p>It is not indexable, so it is not shown at all.</p>}
    </div>
  );
}

function widthOf(length: unknown, pixels: unknown): string {
  if (typeof length !== "number") return "none";
  return `${plural(length, "character")}${typeof pixels === "number" ? `, ${plural(pixels, "pixel")}` : ""}`;
}
