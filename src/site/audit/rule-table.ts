/** All rules, by group, and the thresholds they have. */
import type { Rule, RuleGroup } from "./rule.ts";
import { ACCESSIBILITY_RULES } from "./rules/accessibility.ts";
import { CANONICAL_RULES } from "./rules/canonicals.ts";
import { CHANGE_RULES } from "./rules/changes.ts";
import { CONTENT_RULES } from "./rules/content.ts";
import { DOCUMENT_RULES } from "./rules/document.ts";
import { HREFLANG_RULES } from "./rules/hreflang.ts";
import { HTML_RULES } from "./rules/html.ts";
import { IMAGE_RULES } from "./rules/images.ts";
import { INDEXABILITY_RULES } from "./rules/indexability.ts";
import { LINK_RULES } from "./rules/links.ts";
import { MOBILE_RULES } from "./rules/mobile.ts";
import { PERFORMANCE_RULES } from "./rules/performance.ts";
import { RENDERING_RULES } from "./rules/rendering.ts";
import { RESPONSE_RULES } from "./rules/response.ts";
import { SECURITY_RULES } from "./rules/security.ts";
import { SITEMAP_RULES } from "./rules/sitemaps.ts";
import { SOCIAL_RULES } from "./rules/social.ts";
import { STRUCTURED_DATA_RULES } from "./rules/structured-data.ts";
import { TITLE_RULES } from "./rules/titles.ts";
import { URL_RULES } from "./rules/urls.ts";

export const RULE_GROUPS: readonly RuleGroup[] = [
  RESPONSE_RULES,
  URL_RULES,
  INDEXABILITY_RULES,
  CANONICAL_RULES,
  TITLE_RULES,
  CONTENT_RULES,
  LINK_RULES,
  IMAGE_RULES,
  HREFLANG_RULES,
  SOCIAL_RULES,
  RENDERING_RULES,
  HTML_RULES,
  DOCUMENT_RULES,
  SECURITY_RULES,
  SITEMAP_RULES,
  STRUCTURED_DATA_RULES,
  ACCESSIBILITY_RULES,
  MOBILE_RULES,
  PERFORMANCE_RULES,
  CHANGE_RULES,
];

export const RULES: readonly Rule[] = RULE_GROUPS.flatMap(({ rules }) => rules);

const byId = new Map(RULES.map((rule) => [rule.id, rule]));
export const ruleNamed = (id: string): Rule | undefined => byId.get(id);

/** Every threshold with its default. */
export const THRESHOLDS: Readonly<Record<string, number>> = Object.assign(
  {},
  ...RULES.map(({ thresholds }) => thresholds),
);

export const thresholdValues = (changed: Readonly<Record<string, number>>): Record<string, number> => ({
  ...THRESHOLDS,
  ...changed,
});
