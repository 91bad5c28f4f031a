/** Rules about link previews. */
import { ruleGroup } from "../rule.ts";

export const SOCIAL_RULES = ruleGroup("Social", "https://ogp.me/", {
  "social.og_missing": {
    name: "Open Graph title or image missing",
    ...{ severity: "notice", priority: "low", on: "indexable" },
    when: "coalesce(og_title, '') = '' OR coalesce(og_image, '') = ''",
    evidence: "iif(coalesce(og_title, '') = '', 'og:title ', '') || iif(coalesce(og_image, '') = '', 'og:image', '')",
    why: "Links to the page are shared without a proper title or image.",
    fix: "Add og:title and og:image.",
  },
  "social.og_image_bad": {
    name: "Open Graph image has a relative address",
    ...{ severity: "warning", priority: "low", on: "indexable" },
    when: "og_image <> '' AND NOT (og_image REGEXP '^https?://')",
    evidence: "og_image",
    why: "Most services do not resolve it, and show no image.",
    fix: "Use the full address of the image.",
  },
  "social.twitter_missing": {
    name: "Twitter card missing",
    ...{ severity: "notice", priority: "low", on: "indexable" },
    when: "coalesce(twitter_card, '') = ''",
    why: "Links to the page are shared as plain text on X.",
    fix: 'Add <meta name="twitter:card" content="summary_large_image">.',
    link: "https://developer.x.com/en/docs/x-for-websites/cards/overview/abouts-cards",
  },
});
