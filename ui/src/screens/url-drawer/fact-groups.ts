/** The facts of a URL in groups, as people look for them. Every field of the server is in one of them. */

export interface FactGroup {
  title: string;
  fields: readonly string[];
}

export const FACT_GROUPS: readonly FactGroup[] = [
  {
    title: "Content",
    fields: [
      "title",
      "title_length",
      "title_count",
      "description",
      "description_length",
      "h1",
      "h1_count",
      "h2",
      "h2_count",
      "language",
      "word_count",
      "links_out",
      "content_hash",
    ],
  },
  { title: "Search engines", fields: ["indexable", "indexability", "canonical", "robots_meta", "robots_header"] },
  {
    title: "Answer",
    fields: [
      "status",
      "error",
      "error_detail",
      "redirect_to",
      "content_type",
      "charset",
      "size",
      "size_wire",
      "truncated",
      "http_version",
      "last_modified",
      "etag",
      "attempts",
      "fetched_at",
    ],
  },
  { title: "Discovery", fields: ["verdict", "reason", "rule", "state", "depth", "via", "kind", "found_on"] },
];

/** Shown elsewhere: the heading, and the timings. */
export const ELSEWHERE: ReadonlySet<string> = new Set(["url"]);
export const isTiming = (name: string): boolean => name.startsWith("time_");

/** What stands where the question makes no sense, such as whether an image is indexable. */
const MAKES_NO_SENSE = "-";

/** The groups with what is known; a group that knows nothing is left out. */
export function factsIn(
  groups: readonly FactGroup[],
  facts: Record<string, string | number | null>,
): { title: string; facts: { name: string; value: string | number }[] }[] {
  return groups.flatMap(({ title, fields }) => {
    const known = fields.flatMap((name) => {
      const value = facts[name];
      return value === null || value === undefined || value === "" || value === MAKES_NO_SENSE ? [] : [{ name, value }];
    });
    return known.length === 0 ? [] : [{ title, facts: known }];
  });
}
