/** Keyboard shortcuts: single keys, and two in a row such as `g o`. Pure; the listener is in shell/shortcuts.tsx. */

export interface Shortcut {
  /** Keys with a space between them: `n`, `?`, `g o`, `mod+k`. */
  keys: string;
  label: string;
  group: string;
  run: () => void;
  /** Whether it can be used now; the key keeps its usual meaning otherwise. */
  when?: () => boolean;
}

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** The second key of a pair must follow within this. */
export const PAIR_MS = 1_200;

/** A key press in the notation of shortcuts. */
export function keyName({ key, ctrlKey, metaKey, altKey }: KeyPress): string {
  const name = key.length === 1 ? key.toLowerCase() : key;
  if (altKey) return `alt+${name}`;
  return ctrlKey || metaKey ? `mod+${name}` : name;
}

export interface Pending {
  key: string;
  at: number;
}

export interface Match {
  shortcut: Shortcut | null;
  /** The first key of a pair, waiting for its second. */
  pending: Pending | null;
}

/** What a key means, given the previous one. Of shortcuts with the same keys the latest wins: it belongs to the screen. */
export function matchKey(shortcuts: readonly Shortcut[], name: string, pending: Pending | null, now: number): Match {
  const isPair = pending !== null && now - pending.at <= PAIR_MS;
  const typed = isPair ? `${pending.key} ${name}` : name;
  const shortcut = shortcuts.findLast(({ keys, when }) => keys === typed && (when?.() ?? true)) ?? null;
  if (shortcut !== null) return { shortcut, pending: null };
  const isFirst = shortcuts.some(({ keys }) => keys.startsWith(`${name} `));
  return { shortcut: null, pending: isFirst ? { key: name, at: now } : null };
}

/** A shortcut for display: one entry per key. */
export const shownKeys = (keys: string, isMac: boolean): string[] =>
  keys
    .split(" ")
    .flatMap((key) => key.split("+"))
    .map((key) =>
      key === "mod" ? (isMac ? "⌘" : "Ctrl") : (KEY_FACES[key] ?? (key.length === 1 ? key.toUpperCase() : key)),
    );

const KEY_FACES: Record<string, string> = {
  Escape: "Esc",
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  PageDown: "Page Down",
  PageUp: "Page Up",
};
