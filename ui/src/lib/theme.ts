/** The theme: the system's, or the one that the person chose, which this browser remembers. */

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
    // A browser that keeps nothing still shows the theme until it is closed.
  }
}

/** Calls back when the colours that are shown change, by choice or by the system. */
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

/** What a custom property's colour is right now: a canvas knows neither `var()` nor `light-dark()`. */
export function resolveColor(element: HTMLElement, property: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
