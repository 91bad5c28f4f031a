/** What the screen of an archive shows, from its address, and how to change it. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ArchiveView } from "./archive-view.ts";

export const FROM = "/archives/$archiveId";

export function useView(): [ArchiveView, (change: ArchiveView) => void] {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  return [view, (change) => void navigate({ search: (before) => ({ ...before, ...change }), resetScroll: false })];
}
