/** Rules about structured data. */
import { problemLines, ruleGroup } from "../rule.ts";

const PROBLEMS = "structured_data_problems";

export const STRUCTURED_DATA_RULES = ruleGroup(
  "Structured data",
  "https://developers.google.com/search/docs/appearance/structured-data/search-gallery",
  {
    "sd.missing": {
      name: "No structured data",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      when: "structured_data IS NULL AND structured_data_problems IS NULL",
      why: "Search engines show rich results only for pages that describe themselves in JSON-LD, Microdata or RDFa.",
      fix: "Describe the page in JSON-LD: as an article, a product, or at least a web page.",
    },
    "sd.parse_error": {
      name: "Structured data that cannot be read",
      ...{ severity: "error", priority: "high", on: "page" },
      ...problemLines(PROBLEMS, "parse_error"),
      why: "Search engines ignore a block of JSON-LD that is not valid JSON.",
      fix: "Correct the JSON: the message says where parsing failed.",
    },
    "sd.required_missing": {
      name: "Structured data without a required property",
      ...{ severity: "error", priority: "high", on: "indexable" },
      ...problemLines(PROBLEMS, "required"),
      why: "Without the properties that Google requires, the page gets no rich result.",
      fix: "Add the property.",
    },
    "sd.recommended_missing": {
      name: "Structured data without a recommended property",
      ...{ severity: "notice", priority: "low", on: "indexable" },
      ...problemLines(PROBLEMS, "recommended"),
      why: "Rich results show more, and are shown more often, with these properties.",
      fix: "Add the property if you have a value for it.",
    },
    "sd.duplicate_id": {
      name: "Structured data that contradicts itself",
      ...{ severity: "warning", priority: "low", on: "page" },
      ...problemLines(PROBLEMS, "duplicate_id"),
      why: "Two descriptions with the same @id describe the same thing differently.",
      fix: "Give each thing its own @id, or describe it only once.",
    },
    "sd.only_rendered": {
      name: "Structured data added by a script",
      ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
      when: "structured_data IS NOT NULL AND raw_structured_data IS NULL",
      evidence: "structured_data",
      why: "Google reads it later, or not at all if a script fails. Most other services do not run scripts.",
      fix: "Send the structured data with the page.",
      link: "https://developers.google.com/search/docs/appearance/structured-data/generate-structured-data-with-javascript",
    },
    "sd.recovered": {
      name: "Structured data with mistakes in the JSON",
      ...{ severity: "warning", priority: "medium", on: "page" },
      ...problemLines("structured_data_problems", "recovered"),
      why: "Trawl could read this JSON-LD only by ignoring mistakes, such as a comma before a bracket or a line break inside a string. Others may discard all of it.",
      fix: "Correct the JSON. The message says where the first mistake is.",
      link: "https://validator.schema.org/",
    },
    "sd.unknown_type": {
      name: "Types or properties unknown to schema.org",
      ...{ severity: "warning", priority: "medium", on: "page" },
      ...problemLines("structured_data_problems", "unknown"),
      why: "Search engines ignore names they do not know. Most often they are misspelt or capitalized differently.",
      fix: "Use the names listed at schema.org.",
      link: "https://schema.org/docs/full.html",
    },
    "sd.wrong_value_type": {
      name: "Structured data with values of the wrong kind",
      ...{ severity: "warning", priority: "medium", on: "page" },
      ...problemLines("structured_data_problems", "wrong_value"),
      why: "A value that cannot be read as a number, a date or whatever the property expects counts as missing.",
      fix: "Write numbers without units or separators, and dates as in 2026-11-18.",
      link: "https://schema.org/docs/datamodel.html",
    },
    "sd.mismatch_visible": {
      name: "Price or rating that the page does not show",
      ...{ severity: "warning", priority: "medium", on: "page" },
      ...problemLines("structured_data_problems", "not_visible"),
      why: "Google requires structured data to describe what visitors can see, and may withhold rich results from the site otherwise.",
      fix: "Show the price or the rating in the text of the page, or correct the structured data.",
      link: "https://developers.google.com/search/docs/appearance/structured-data/sd-policies",
    },
  },
);
