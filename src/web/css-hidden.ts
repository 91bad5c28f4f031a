/** The classes and ids that a page's own style sheets hide with `display: none`, as far as the rules alone can tell. */

/** The `display` of a rule's declarations; the last one counts. */
const DISPLAY = /(?:^|[;\s])display\s*:\s*([a-z-]+)/gi;
const COMMENT = /\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\//g;
/** A selector that is one class or one id: any other depends on where the element is. */
const SIMPLE = /^[.#][\w-]+$/;
const NAME = /[.#][\w-]+/g;

/** At-rules that change nothing on a screen for the rules inside them. */
const UNCONDITIONAL = /^@(?:layer\b|media\s+(?:screen|all)\s*$)/i;

/**
 * Whether a style sheet with this `media` attribute applies to every screen. One that applies only to some is ignored.
 */
export const isOnScreen = (media: string | null | undefined): boolean =>
  /^(?:screen|all)?$/i.test((media ?? "").trim());

/**
 * A name is hidden if an unconditional rule for that name alone says so, and no rule of the page shows an element with
 * that name at any screen size or in any state.
 */
export class HiddenNames {
  readonly #hidden = new Set<string>();
  readonly #shown = new Set<string>();

  /** Takes a style sheet into account. Each character is looked at a fixed number of times, so the time is linear. */
  add(css: string): void {
    if (!/display/i.test(css)) return;
    const text = css.replace(COMMENT, " ");
    // How many blocks are open, and at which depths a conditional block or a rule begins.
    let depth = 0;
    const conditional: number[] = [];
    let start = 0;
    for (let at = nextBrace(text, 0); at < text.length; at = nextBrace(text, at + 1)) {
      if (text[at] === "{") {
        const end = nextBrace(text, at + 1);
        const before = text.slice(start, at);
        const prelude = before.slice(before.lastIndexOf(";") + 1);
        if (text[end] !== "{") this.#rule(prelude, text.slice(at + 1, end), conditional.length === 0);
        if (!UNCONDITIONAL.test(prelude.trim())) conditional.push(depth);
        depth++;
      } else if (depth > 0) {
        depth--;
        if (conditional.at(-1) === depth) conditional.pop();
      }
      start = at + 1;
    }
  }

  /** As selectors: `.name`, `#name`. */
  get selectors(): string[] {
    return [...this.#hidden].filter((name) => !this.#shown.has(name));
  }

  #rule(selectors: string, declarations: string, isUnconditional: boolean): void {
    const display = [...declarations.matchAll(DISPLAY)].at(-1)?.[1]?.toLowerCase();
    if (display === undefined) return;
    for (const selector of selectors.split(",")) {
      if (display !== "none") for (const [name] of selector.matchAll(NAME)) this.#shown.add(name);
      else if (isUnconditional && SIMPLE.test(selector.trim())) this.#hidden.add(selector.trim());
    }
  }
}

function nextBrace(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 123 || code === 125) return at;
  }
  return text.length;
}
