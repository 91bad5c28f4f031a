/** Listens to the keyboard for the whole app; screens add their shortcuts while they are shown, and a dialog lists them. */
import { createContext, type ReactNode, use, useEffect, useMemo, useRef } from "react";
import { Kbd } from "../components/data/labels.tsx";
import { Dialog } from "../components/feedback/dialog.tsx";
import { keyName, matchKey, type Pending, type Shortcut } from "../lib/shortcuts.ts";
import "./shortcuts.css";

interface ShortcutBook {
  add(shortcuts: readonly Shortcut[]): () => void;
  all(): readonly Shortcut[];
}

const Context = createContext<ShortcutBook | null>(null);

export const useShortcutBook = (): ShortcutBook => use(Context)!;

/** Adds the shortcuts of a screen or part while it is mounted. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const book = useShortcutBook();
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const signature = shortcuts.map(({ keys, label }) => `${keys} ${label}`).join("|");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the list, whose functions are new each time.
  useEffect(
    () =>
      book.add(
        latest.current.map((shortcut, at) => ({
          ...shortcut,
          run: () => latest.current[at]?.run(),
          when: () => latest.current[at]?.when?.() ?? true,
        })),
      ),
    [book, signature],
  );
}

export function ShortcutProvider({ children }: { children: ReactNode }) {
  const shortcuts = useRef<Shortcut[]>([]);
  const book = useMemo<ShortcutBook>(
    () => ({
      add: (added) => {
        shortcuts.current = [...shortcuts.current, ...added];
        return () => {
          shortcuts.current = shortcuts.current.filter((one) => !added.includes(one));
        };
      },
      all: () => shortcuts.current,
    }),
    [],
  );
  useEffect(() => {
    let pending: Pending | null = null;
    const onKey = (event: KeyboardEvent) => {
      const name = keyName(event);
      if (event.defaultPrevented || event.isComposing || isTaken(event, name)) return;
      const match = matchKey(shortcuts.current, name, pending, Date.now());
      pending = match.pending;
      if (match.shortcut === null) return;
      event.preventDefault();
      match.shortcut.run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return <Context value={book}>{children}</Context>;
}

/** Whether the focused element uses the key: a text field, a menu, or a dialog. */
function isTaken({ target }: KeyboardEvent, name: string): boolean {
  if (document.querySelector("dialog:modal, .menu-list:popover-open") !== null) return true;
  if (name.startsWith("mod+")) return false;
  if (!(target instanceof HTMLElement)) return false;
  const own =
    name === "Enter"
      ? `${TYPED_INTO}, a, button, summary`
      : name.startsWith("Arrow")
        ? `${TYPED_INTO}, ${MOVED_IN}`
        : TYPED_INTO;
  return target.closest(own) !== null;
}

const TYPED_INTO = "input:not([type=checkbox]), textarea, select, [contenteditable]";
/** Parts in which arrow keys move something else. */
const MOVED_IN = "[role=tablist], [role=tree], .drawer";

/** The heading of keys that move through rows. */
export const ROWS_GROUP = "Lists and tables";

const inGroup = (group: string, entries: Record<string, string>): Pick<Shortcut, "keys" | "label" | "group">[] =>
  Object.entries(entries).map(([keys, label]) => ({ keys, label, group }));

/** Keys that a part of a screen handles itself, and those of other screens. */
const LISTED = [
  ...inGroup(ROWS_GROUP, {
    j: "Next row",
    k: "Previous row",
    ArrowDown: "Next row",
    ArrowUp: "Previous row",
    Enter: "Open the row",
    "PageDown PageUp": "A page down or up",
    "Home End": "First or last row",
    "Shift+ArrowLeft": "On a column's name: narrower",
    "Shift+ArrowRight": "On a column's name: wider",
    c: "Copy the URL of the row",
  }),
  ...inGroup("SQL", { "mod+Enter": "Run the query" }),
];

/** Lists every shortcut: of the current screen, and of parts that are not shown now. */
export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const isNamed = ({ keys, group }: Pick<Shortcut, "keys" | "group">) =>
    !LISTED.some((one) => one.keys === keys && one.group === group);
  const groups = Map.groupBy([...useShortcutBook().all().filter(isNamed), ...LISTED], ({ group }) => group);
  return (
    <Dialog title="Keyboard shortcuts" size="medium" onClose={onClose}>
      <div className="help-groups">
        {[...groups].map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys} className="help-row">
                  <dt>{label}</dt>
                  <dd>
                    <Kbd keys={keys} />
                  </dd>
                </div>
              ))}
              {group === "Anywhere" && (
                <div className="help-row">
                  <dt>Close a dialog or drawer</dt>
                  <dd>
                    <Kbd keys="Escape" />
                  </dd>
                </div>
              )}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
