/** Settings being edited: where they started, what was changed, and what is wrong with it. */
import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { api } from "../lib/api.ts";
import type { Setting, SettingsCheck } from "../lib/contract.ts";
import { useRested } from "../lib/timing.ts";
import { changedSettings, problemOfValue } from "./setting-control.ts";

export interface SettingsDraft {
  settings: readonly Setting[];
  /** Those that may be changed from here. */
  editable: readonly Setting[];
  /** What each setting is without the changes. */
  base: Record<string, unknown>;
  /** What each setting is with them. */
  values: Record<string, unknown>;
  changed: Record<string, unknown>;
  /** By the name of the setting. */
  problems: Record<string, string>;
  set(name: string, value: unknown): void;
  /** Back to the base value. */
  undo(name: string): void;
  replace(changes: Record<string, unknown>): void;
}

export function useSettingsDraft(
  settings: readonly Setting[],
  base: Record<string, unknown>,
  initial: Record<string, unknown> = {},
): SettingsDraft {
  const [edits, setEdits] = useState(initial);
  // The others are shown as they are, for example in the crawl that is repeated, but never sent.
  const editable = settings.filter(({ ownerOnly }) => ownerOnly === null);
  const changed = changedSettings(editable, edits, base);
  const asked = useRested(JSON.stringify(changed));
  const checked = useQuery({
    queryKey: ["validate", asked],
    queryFn: () => api.post<SettingsCheck>("/settings/validate", { settings: JSON.parse(asked) }),
    enabled: asked !== "{}",
    staleTime: Number.POSITIVE_INFINITY,
    // The last answer stays until the next one: an error must not flicker while typing.
    placeholderData: (last) => last,
  });
  const answer = asked === "{}" ? undefined : checked.data;
  const set = useCallback((name: string, value: unknown) => setEdits((all) => ({ ...all, [name]: value })), []);
  const undo = useCallback((name: string) => setEdits(({ [name]: _, ...rest }) => rest), []);
  const problems = { ...problemsOf(answer, changed), ...ownProblems(settings, changed) };
  return { settings, editable, base, values: { ...base, ...edits }, changed, problems, set, undo, replace: setEdits };
}

/** The server reports places inside a setting (`include.0`); they are shown at the setting. */
function problemsOf(check: SettingsCheck | undefined, changed: Record<string, unknown>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { setting, message } of check?.problems ?? []) {
    const name = setting.split(".")[0]!;
    if (name in changed) found[name] ??= message;
  }
  return found;
}

function ownProblems(settings: readonly Setting[], changed: Record<string, unknown>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const setting of settings) {
    const problem = setting.name in changed ? problemOfValue(setting, changed[setting.name]) : null;
    if (problem !== null) found[setting.name] = problem;
  }
  return found;
}

/** The defaults of all settings. */
export const defaultsOf = (settings: readonly Setting[]): Record<string, unknown> =>
  Object.fromEntries(settings.map((setting) => [setting.name, setting.default]));
