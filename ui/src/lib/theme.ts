/** The theme: the system's, or the one the user chose, which this browser remembers. */

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "trawl.theme";

export function readTheme(storage: Pick<Storage, "getItem">): Theme {
  try {
    const stored = storage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? "system";
  } catch {
    return "system";
  }
}

export function applyTheme(theme: Theme, root: HTMLElement, storage: Pick<Storage, "setItem" | "removeItem">): void {
  if (theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
  try {
    if (theme === "system") storage.removeItem(KEY);
    else storage.setItem(KEY, theme);
  } catch {
    // Without storage, the theme lasts until the page is closed.
  }
}

/** Calls back when the colours change, by the user's choice or the system's. */
export function onThemeChange(changed: () => void): () => void {
  const media = window.matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  media.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", changed);
  };
}

/** The current colour of a custom property: a canvas supports neither `var()` nor `light-dark()`. */
export function resolveColor(element: HTMLElement, property: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
