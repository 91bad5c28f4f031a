/** The facts of a URL in the groups of the fact table. */
import { FACT_GROUPS } from "../../../../src/site/facts/fact-groups.ts";
import type { Field } from "../../lib/contract.ts";

/** The heading of the drawer shows the URL; timings have a tab, and what a browser found has a section. */
const isElsewhere = ({ name, group }: Field): boolean => name === "url" || group === "Timing" || group === "Browser";

export interface FactGroup {
  title: string;
  facts: { field: Field; value: string | number | boolean }[];
}

/** The groups with what is known; a group without anything known is left out. */
export function factsIn(
  fields: readonly Field[],
  facts: Record<string, string | number | boolean | null>,
): FactGroup[] {
  return FACT_GROUPS.flatMap((title) => {
    const known = fields.flatMap((field) => {
      if (field.group !== title || isElsewhere(field)) return [];
      const value = facts[field.name];
      const isKnown = value !== null && value !== undefined && value !== "";
      return isKnown ? [{ field, value }] : [];
    });
    return known.length === 0 ? [] : [{ title, facts: known }];
  });
}
