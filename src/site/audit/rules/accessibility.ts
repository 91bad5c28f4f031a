/** Accessibility rules. Some are checked in the HTML; the others need a crawl with --render. */
import { problemLines, ruleGroup } from "../rule.ts";

const ACCESSIBILITY = "accessibility_problems";
const ARIA = "https://www.w3.org/WAI/ARIA/apg/practices/";

export const ACCESSIBILITY_RULES = ruleGroup("Accessibility", "https://www.w3.org/WAI/standards-guidelines/wcag/", {
  "a11y.form_label": {
    name: "Form field without a label",
    ...{ severity: "warning", priority: "medium", on: "page" },
    ...problemLines(ACCESSIBILITY, "unlabelled_field"),
    why: "A screen reader announces the field as “edit text”, so its users cannot tell what to type.",
    fix: "Connect a <label> to the field with for and id, or put the field inside the label.",
    link: "https://www.w3.org/WAI/tutorials/forms/labels/",
  },
  "a11y.unnamed_control": {
    name: "Link or button without a name",
    ...{ severity: "warning", priority: "medium", on: "page" },
    ...problemLines(ACCESSIBILITY, "unnamed_control"),
    why: "A screen reader announces “link” or “button” and cannot say what it does. Voice control cannot reach it either.",
    fix: "Put text in the link or button, describe its icon with alt, or add an aria-label.",
    link: `${ARIA}names-and-descriptions/`,
  },
  "a11y.main_landmark": {
    name: "No main landmark",
    ...{ severity: "warning", priority: "low", on: "page" },
    ...problemLines(ACCESSIBILITY, "no_main"),
    why: "People who use a screen reader jump to the main landmark to skip the menu. This page does not have one.",
    fix: "Wrap the content that is unique to the page in a <main> element.",
    link: `${ARIA}landmark-regions/`,
  },
  "a11y.invalid_role": {
    name: "ARIA role that does not exist",
    ...{ severity: "warning", priority: "medium", on: "page" },
    ...problemLines(ACCESSIBILITY, "invalid_role"),
    why: "Browsers ignore an unknown role, so screen readers do not learn what the element is.",
    fix: "Correct the spelling of the role, or use the HTML element that already has this role.",
    link: "https://www.w3.org/TR/wai-aria-1.2/#role_definitions",
  },
  "a11y.low_contrast": {
    name: "Text with low contrast",
    ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
    ...problemLines("axe_violations", "color-contrast"),
    why: "People with low vision, and everybody in sunlight, cannot read text that barely stands out from its background.",
    fix: "Give text a contrast of at least 4.5 to 1, or 3 to 1 if it is large (24 pixels, or 18.66 pixels and bold).",
    link: "https://www.w3.org/WAI/WCAG22/Understanding/contrast-minimum.html",
  },
  "a11y.focus_hidden": {
    name: "Focus that cannot be seen",
    ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
    ...problemLines("layout_problems", "no_focus"),
    why: "People who use a keyboard need to see which element has the focus. These elements look the same with and without it.",
    fix: "Remove outline: none from the style sheet, or give :focus-visible another style that stands out.",
    link: "https://www.w3.org/WAI/WCAG22/Understanding/focus-visible.html",
  },
  "a11y.axe_violation": {
    name: "axe-core accessibility rules broken",
    ...{ severity: "warning", priority: "medium", phase: "render", on: "rendered" },
    when: "axe_violations IS NOT NULL AND problems_except(axe_violations, 'color-contrast') IS NOT NULL",
    evidence: "problems_except(axe_violations, 'color-contrast')",
    why: "Each line names a rule of axe-core that the page breaks, with the impact on people: minor, moderate, serious or critical.",
    fix: "Start with the critical and serious ones. The documentation of axe-core explains each rule by its name.",
    link: "https://dequeuniversity.com/rules/axe/",
  },
});
