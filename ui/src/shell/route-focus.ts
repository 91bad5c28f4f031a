/** Moves the focus to the heading of a new screen, so that a screen reader says where one has come to. */
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

export function useRouteFocus(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        // The first page keeps the browser's own start, from where Tab reaches the skip link.
        if (fromLocation === undefined || !pathChanged) return;
        // A field of the new screen that asked for the focus keeps it.
        if (document.activeElement?.closest(".page")) return;
        document.querySelector<HTMLElement>("#main h1")?.focus({ preventScroll: true });
      }),
    [router],
  );
}
