/**
 * What is inspected in a rendered page: its accessibility, by axe-core, and its layout on a computer and a phone. The
 * scripts run in the browser; their results become lines of facts, each with the kind of problem as its first word.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Inspection } from "../../render/contract.ts";

/** A common phone. */
const PHONE = { width: 412, height: 823 };
/** Examples are enough. */
const MOST_OF_A_KIND = 5;

/** Code that the scripts share: how evidence names an element, and a list with a few lines of each kind. */
const HELPERS = `
  const clip = (text) => String(text).replace(/\\s+/g, " ").trim().slice(0, 150);
  const named = (element) => {
    const id = element.id ? "#" + element.id : "";
    const classes = id ? [] : [...element.classList].slice(0, 2).map((name) => "." + name);
    return clip(element.localName + id + classes.join(""));
  };
  const found = new Map();
  const note = (kind, number, text) => {
    const lines = found.get(kind) ?? [];
    found.set(kind, lines);
    lines.push([Math.round(number * 10) / 10, text]);
  };
  const worst = (order) => [...found].flatMap(([kind, lines]) =>
    lines.sort((a, b) => order * (a[0] - b[0])).slice(0, ${MOST_OF_A_KIND}).map(([number, text]) => kind + " " + number + " " + text));
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });`;

/** How many elements to try to focus at most. */
const MOST_FOCUSED = 60;

/**
 * \`wrong_size\`: how many times larger the image is than where it is shown; \`below_fold\`: how many screens down an image is that is not lazy;
 * \`background\`: pixels of a box that shows nothing but a background image; \`no_focus\`: an element that looks the same with the focus.
 */
const DESKTOP = `(() => {${HELPERS}
  const place = (element) => element.getBoundingClientRect().top + scrollY;
  for (const image of document.images) {
    const { width, height } = image.getBoundingClientRect();
    const from = clip(image.currentSrc || image.src);
    if (image.naturalWidth > 1 && width > 1 && height > 1) {
      const times = (image.naturalWidth * image.naturalHeight) / (width * height);
      const size = image.naturalWidth + "x" + image.naturalHeight + " shown at " + Math.round(width) + "x" + Math.round(height);
      if (times >= 1.5 && !/\\.svg($|[?#])/i.test(from)) note("wrong_size", times, size + ": " + from);
    }
    const screens = place(image) / innerHeight;
    if (screens >= 1 && image.loading !== "lazy" && /^https?:/.test(from) && isShown(image)) note("below_fold", screens, from);
  }
  for (const element of document.body?.querySelectorAll("*") ?? []) {
    if (element.childElementCount > 0 || element.textContent.trim() !== "" || !isShown(element)) continue;
    const address = /url\\("?(https?:[^")]+)/.exec(getComputedStyle(element).backgroundImage)?.[1];
    if (address === undefined || element.hasAttribute("aria-label") || element.getAttribute("role") === "img") continue;
    const { width, height } = element.getBoundingClientRect();
    if (width * height >= 2500) note("background", width * height, named(element) + ": " + clip(address));
  }
  const looks = (element) => {
    const style = getComputedStyle(element);
    const outline = style.outlineStyle === "none" || parseFloat(style.outlineWidth) === 0 ? "none" : style.outline;
    return [outline, style.boxShadow, style.border, style.backgroundColor, style.backgroundImage, style.color, style.textDecoration].join(";");
  };
  const active = document.activeElement;
  const focusable = [...document.querySelectorAll("a[href], button:not([disabled]), input:not([disabled]):not([type=hidden]), select:not([disabled]), textarea:not([disabled]), [tabindex='0']")];
  for (const element of focusable.filter(isShown).slice(0, ${MOST_FOCUSED})) {
    const transition = element.style.transition;
    element.style.transition = "none";
    const before = looks(element);
    element.focus({ preventScroll: true, focusVisible: true });
    if (document.activeElement === element && looks(element) === before) note("no_focus", 1, named(element) + " " + clip(element.textContent).slice(0, 60));
    element.blur();
    element.style.transition = transition;
  }
  active?.focus?.({ preventScroll: true });
  return worst(-1);
})()`;

/** \`wider\`: pixels by which the page is wider than the screen; \`tap_target\`: pixels of the shorter side of something to tap on. */
const ON_PHONE = `(() => {${HELPERS}
  const screen = document.documentElement.clientWidth;
  const wide = (document.scrollingElement ?? document.documentElement).scrollWidth - screen;
  if (wide > 0) {
    const widest = [...document.body.querySelectorAll("*")].filter(isShown)
      .map((element) => [element.getBoundingClientRect().right, element]).sort((a, b) => b[0] - a[0])[0];
    note("wider", wide, (widest ? named(widest[1]) : "page") + " on a screen of " + screen + " pixels");
  }
  const isInText = (element) => {
    const own = element.textContent.trim();
    return getComputedStyle(element).display === "inline" && own !== "" && element.parentElement.textContent.trim().length > own.length;
  };
  for (const element of document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, [role=button]")) {
    if (!isShown(element) || isInText(element)) continue;
    const { width, height } = element.getBoundingClientRect();
    const side = Math.min(width, height);
    if (side > 1 && side < 48) note("tap_target", side, named(element) + " " + Math.round(width) + "x" + Math.round(height) + " " + clip(element.textContent).slice(0, 60));
  }
  return [...found].flatMap(([kind, lines]) =>
    lines.sort((a, b) => (kind === "wider" ? b[0] - a[0] : a[0] - b[0])).slice(0, ${MOST_OF_A_KIND}).map(([number, text]) => kind + " " + number + " " + text));
})()`;

/** Each broken rule: its id, its severity, the number of cases, an example, and axe's advice. */
const AXE_RUN = `axe.run(document, { resultTypes: ["violations"], iframes: false, preload: false }).then(({ violations }) =>
  violations.map(({ id, impact, nodes, help }) =>
    id + " " + impact + ": " + help + " (" + nodes.length + (nodes.length === 1 ? " element, " : " elements, the first: ") + String(nodes[0]?.target).slice(0, 150) + ")"))`;

let axe: string | null = null;
/** 600 KB, which only crawls that check accessibility need. */
const axeSource = (): string =>
  (axe ??= readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));

export const pageInspections = (): Inspection[] => [
  { source: `(() => { ${axeSource()}; return ${AXE_RUN}; })()` },
  { source: DESKTOP },
  { source: ON_PHONE, phone: PHONE },
];

/** As lines of text; null when there was nothing to report, or the check failed. */
export function inspectionFacts(results: readonly unknown[]): {
  axe_violations: string | null;
  layout_problems: string | null;
} {
  const [violations, desktop, phone] = results.map((result) => (Array.isArray(result) ? result.map(String) : []));
  return {
    axe_violations: violations?.join("\n") || null,
    layout_problems: [...(desktop ?? []), ...(phone ?? [])].join("\n") || null,
  };
}
