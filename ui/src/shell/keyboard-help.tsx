/** Every shortcut that works where one is. */
import { Dialog } from "../components/dialog.tsx";
import { Kbd } from "../components/kbd.tsx";
import { useShortcutBook } from "./shortcuts.tsx";
import "./keyboard-help.css";

export function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy(useShortcutBook().all(), ({ group }) => group);
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
                  <dt>Close what is open</dt>
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
