/** The menu: a sidebar on wide screens, a bottom bar on narrow ones, and the choice of theme. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Ellipsis, Keyboard, LogOut, Monitor, Moon, Sun } from "lucide-react";
import { Button, IconButton } from "../components/controls/button.tsx";
import { Tooltip } from "../components/controls/popover.tsx";
import { endSession, readSession } from "../lib/api.ts";
import { usePlace } from "../lib/place.ts";
import { type Destination, GENERAL, WITHIN_PROJECT } from "./navigation.ts";
import { useNewsMode } from "./news.tsx";
import { ProjectSwitcher } from "./switchers.tsx";
import "./sidebar.css";
import { useState } from "react";
import { Menu } from "../components/controls/menu.tsx";
import { Dialog } from "../components/feedback/dialog.tsx";
import { applyTheme, readTheme, THEMES, type Theme } from "../lib/theme.ts";

/** The sidebar on wide screens: logo, project, screens, and what concerns the whole app. */
export function Sidebar({ onHelp }: { onHelp: () => void }) {
  const place = usePlace();
  return (
    <aside className="sidebar">
      <Link to="/" className="mark">
        <img src="/icon.svg" alt="" width={24} height={24} />
        Trawl
      </Link>
      <nav aria-label="Main">
        <NavList destinations={GENERAL} />
        <ProjectSwitcher />
        {place.projectId !== null && <NavList destinations={WITHIN_PROJECT} />}
      </nav>
      <footer className="sidebar-foot">
        <ThemeMenu />
        <IconButton label="Keyboard shortcuts" icon={Keyboard} onClick={onHelp} />
        <SignOut />
        <NewsNote />
      </footer>
    </aside>
  );
}

export function NavList({ destinations }: { destinations: readonly Destination[] }) {
  const place = usePlace();
  return (
    <ul className="nav-list">
      {destinations.map((destination) => {
        const path = destination.path(place);
        if (path === null) return null;
        const Icon = destination.icon;
        return (
          <li key={destination.id}>
            <Link to={path} className="nav-link" activeOptions={{ exact: true, includeSearch: false }}>
              <Icon size={16} aria-hidden />
              {destination.label}
              {destination.id === "live" && place.active?.state === "running" && (
                <span className="running-dot badge-pulse" role="img" aria-label="running" />
              )}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function SignOut() {
  const session = useQuery({ queryKey: ["session"], queryFn: readSession, staleTime: Number.POSITIVE_INFINITY }).data;
  if (session?.canSignOut !== true) return null;
  return (
    <IconButton label="Sign out" icon={LogOut} onClick={() => void endSession().then(() => location.assign("/"))} />
  );
}

/** A quiet note that the event stream is down; everything still works, with a delay. */
function NewsNote() {
  if (useNewsMode() !== "polling") return null;
  return (
    <Tooltip text="Live updates are interrupted. Checking every 2 seconds until they are back.">
      <span className="news-note">Polling</span>
    </Tooltip>
  );
}

/** What fits beside "More" at 390 px. */
const SLOTS = 4;

/** On narrow screens: the main screens within reach of the thumb, and the rest behind "More". */
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
              <SignOut />
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

const ICONS = { system: Monitor, light: Sun, dark: Moon };
const LABELS = { system: "System", light: "Light", dark: "Dark" };

/** Chooses the theme: the system's, light or dark. */
export function ThemeMenu() {
  const [theme, setTheme] = useState<Theme>(() => readTheme(localStorage));
  const choose = (next: Theme) => {
    applyTheme(next, document.documentElement, localStorage);
    setTheme(next);
  };
  return (
    <Menu
      label="Theme"
      icon={ICONS[theme]}
      isIconOnly
      items={THEMES.map((one) => ({
        id: one,
        label: LABELS[one],
        icon: ICONS[one],
        isChosen: one === theme,
        onSelect: () => choose(one),
      }))}
    />
  );
}
