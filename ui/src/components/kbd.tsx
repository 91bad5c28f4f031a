/** The keys of a shortcut as caps. */
import { shownKeys } from "../lib/shortcuts.ts";
import "./kbd.css";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="keys">
      {shownKeys(keys, isMac).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
