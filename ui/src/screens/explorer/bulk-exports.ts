/** Exports that people take of a whole crawl, whatever the table shows: each is one question, answered by one file. */
import type { Query } from "../../lib/api.ts";

export interface BulkExport {
  id: string;
  label: string;
  query: Query;
}

const links = (id: string, label: string, filter: string[]): BulkExport => ({
  id,
  label,
  query: { what: "links", format: "csv", filter, name: id, labels: true },
});
const urls = (id: string, label: string, filter: string[], fields: string[], sort?: string): BulkExport => ({
  id,
  label,
  query: { format: "csv", filter, fields: fields.join(","), sort, name: id, labels: true },
});

export const BULK_EXPORTS: readonly BulkExport[] = [
  links("broken-inlinks", "All links to broken URLs", ["outcome=broken"]),
  links("redirect-inlinks", "All links to redirects", ["outcome=redirect"]),
  links("external-links", "All links to other hosts", ["internal=false"]),
  links("not-indexable-inlinks", "All links to pages that are not indexable", ["outcome=page", "indexable=false"]),
  urls(
    "redirect-chains",
    "All redirect chains and loops",
    ["redirectHops>0"],
    ["url", "redirectHops", "redirectChain", "redirectFinal", "redirectStatus", "redirectLoop", "inlinks"],
    "-redirectHops",
  ),
  urls("orphans", "All orphans", ["orphan=true"], ["url", "status", "title", "indexable", "sitemaps", "via"]),
  urls(
    "duplicates",
    "All pages with the same content",
    ["duplicate=true"],
    ["url", "contentHash", "title", "canonical", "indexable", "inlinks"],
    "contentHash",
  ),
  links("images", "All uses of images", ["kind=image || kind=icon"]),
];
