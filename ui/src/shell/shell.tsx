/** What surrounds every screen: sidebar or bottom bar, top bar, palette, help, and a banner when the server is down. */
import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useToast } from "../components/feedback/toast.tsx";
import { ApiError } from "../lib/api.ts";
import { usePauseToggle } from "../lib/changes.ts";
import { usePlace } from "../lib/place.ts";
import { queries } from "../lib/queries.ts";
import { CommandPalette } from "./command-palette.tsx";
import { useCloseQuestion } from "./desktop-window.ts";
import { GENERAL, WITHIN_PROJECT } from "./navigation.ts";
import { hasRows, stepRow } from "./row-keys.ts";
import { KeyboardHelp, ROWS_GROUP, useShortcuts } from "./shortcuts.tsx";
import { BottomBar, Sidebar } from "./sidebar.tsx";
import { TopBar } from "./top-bar.tsx";
import "./shell.css";

export function Shell() {
  const [overlay, setOverlay] = useState<"palette" | "help" | null>(null);
  const place = usePlace();
  const navigate = useNavigate();
  const togglePause = usePauseToggle(place.active);
  useRouteFocus();
  useCloseQuestion(useToast());
  const close = () => setOverlay(null);
  const screens = [...GENERAL, ...WITHIN_PROJECT].map((destination) => ({
    keys: `g ${destination.key}`,
    label: destination.label,
    group: "Go to",
    run: () => {
      const path = destination.path(place);
      if (path !== null) void navigate({ to: path });
    },
  }));
  useShortcuts([
    { keys: "mod+k", label: "Command palette", group: "Anywhere", run: () => setOverlay("palette") },
    { keys: "?", label: "Keyboard shortcuts", group: "Anywhere", run: () => setOverlay("help") },
    { keys: "n", label: "New crawl", group: "Anywhere", run: () => void navigate({ to: "/new" }) },
    { keys: "/", label: "Search", group: "Anywhere", run: () => focusSearch() || setOverlay("palette") },
    ...ROW_KEYS,
    { keys: "p", label: "Pause or resume the crawl", group: "Crawl", run: () => togglePause?.run() },
    ...screens,
  ]);
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <Sidebar onHelp={() => setOverlay("help")} />
      <div className="shell-main">
        <TopBar onSearch={() => setOverlay("palette")} />
        <AwayBanner />
        <main id="main" tabIndex={-1}>
          <Outlet />
        </main>
        <BottomBar onHelp={() => setOverlay("help")} />
      </div>
      {overlay === "palette" && <CommandPalette onClose={close} />}
      {overlay === "help" && <KeyboardHelp onClose={close} />}
    </div>
  );
}

const ROW_KEYS = (
  [
    ["j", 1],
    ["ArrowDown", 1],
    ["k", -1],
    ["ArrowUp", -1],
  ] as const
).map(([keys, by]) => ({
  keys,
  label: by > 0 ? "Next row" : "Previous row",
  group: ROWS_GROUP,
  run: () => stepRow(by),
  when: hasRows,
}));

/** The screen's own search box, when it has one: an input with `data-search`. */
function focusSearch(): boolean {
  const box = document.querySelector<HTMLInputElement>("#main [data-search]");
  box?.focus();
  box?.select();
  return box !== null;
}

function AwayBanner() {
  const { error } = useQuery(queries.activeCrawls());
  if (!(error instanceof ApiError) || !error.isOffline) return null;
  return (
    <p className="away" role="alert">
      The Trawl server is not responding. What you see may be out of date; it refreshes when the server is back.
    </p>
  );
}

/** Moves the focus to the heading of a new screen, so that a screen reader announces it. */
export function useRouteFocus(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        // The first page keeps the browser's own focus, from which Tab reaches the skip link.
        if (fromLocation === undefined || !pathChanged) return;
        // A field that has taken the focus keeps it.
        if (document.activeElement?.closest(".page")) return;
        document.querySelector<HTMLElement>("#main h1")?.focus({ preventScroll: true });
      }),
    [router],
  );
}
