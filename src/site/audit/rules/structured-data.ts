/** Rules about structured data. */
import { ruleGroup } from "../rule.ts";

/** The lines about one kind of problem, without the word for it. */
const problems = (kind: string): string => `problems_of(structured_data_problems, '${kind}')`;

export const STRUCTURED_DATA_RULES = ruleGroup(
  "Structured data",
  "https://developers.google.com/search/docs/appearance/structured-data/search-gallery",
  {
    "sd.missing": {
      name: "No structured data",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      when: "structured_data IS NULL AND structured_data_problems IS NULL",
      why: "Search engines show rich results only for pages that describe themselves in JSON-LD.",
      fix: "Describe the page in JSON-LD: as an article, a product, or at least a web page.",
    },
    "sd.parse_error": {
      name: "Structured data that cannot be read",
      ...{ severity: "error", priority: "high", on: "page" },
      when: `${problems("parse_error")} IS NOT NULL`,
      evidence: problems("parse_error"),
      why: "Nothing in a block of JSON-LD counts if it is not valid JSON.",
      fix: "Correct the JSON: the message says where it ends.",
    },
    "sd.required_missing": {
      name: "Structured data without a required property",
      ...{ severity: "error", priority: "high", on: "indexable" },
      when: `${problems("required")} IS NOT NULL`,
      evidence: problems("required"),
      why: "Without the properties that Google requires, the page gets no rich result.",
      fix: "Add the property.",
    },
    "sd.recommended_missing": {
      name: "Structured data without a recommended property",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      when: `${problems("recommended")} IS NOT NULL`,
      evidence: problems("recommended"),
      why: "Rich results show more, and are shown more often, with these properties.",
      fix: "Add the property if you have what belongs there.",
    },
    "sd.duplicate_id": {
      name: "Structured data that contradicts itself",
      ...{ severity: "warning", priority: "low", on: "page" },
      when: `${problems("duplicate_id")} IS NOT NULL`,
      evidence: problems("duplicate_id"),
      why: "Two descriptions with one @id are about the same thing, and say different things about it.",
      fix: "Give each thing an @id of its own, or describe it once.",
    },
  },
);
