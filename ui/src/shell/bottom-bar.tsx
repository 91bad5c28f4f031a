/** On narrow screens: the main screens at the thumb, and the rest behind "More". */
import { Link } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { usePlace } from "../lib/place.ts";
import { GENERAL, WITHIN_PROJECT } from "./navigation.ts";
import { NavList } from "./sidebar.tsx";
import { ThemeMenu } from "./theme-menu.tsx";
import "./bottom-bar.css";

/** What fits beside "More" at 390 px. */
const SLOTS = 4;

export function BottomBar({ onHelp }: { onHelp: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const place = usePlace();
  const main = [...GENERAL, ...WITHIN_PROJECT]
    .filter(({ isMain, path }) => isMain && path(place) !== null)
    .slice(0, SLOTS);
  return (
    <nav className="bottom-bar" aria-label="Main">
      {main.map(({ id, label, icon: Icon, path }) => (
        <Link key={id} to={path(place)!} className="bottom-link" activeOptions={{ exact: true, includeSearch: false }}>
          <Icon size={19} aria-hidden />
          {label}
        </Link>
      ))}
      <button type="button" className="bottom-link" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Ellipsis size={19} aria-hidden />
        More
      </button>
      {isOpen && (
        <Dialog title="Trawl" onClose={() => setOpen(false)}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the links inside are what is used; the list closes behind them. */}
          <div className="stack" onClick={(event) => (event.target as Element).closest("a") && setOpen(false)}>
            <NavList destinations={GENERAL} />
            {place.projectId !== null && <NavList destinations={WITHIN_PROJECT} />}
            <div className="row-apart">
              <ThemeMenu />
              <Button look="quiet" onClick={onHelp}>
                Keyboard shortcuts
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </nav>
  );
}
