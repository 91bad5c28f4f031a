/** Every setting by group, with a search over names and meanings. */
import { useState } from "react";
import { TextInput } from "../components/input.tsx";
import { Segmented } from "../components/segmented.tsx";
import { EmptyState } from "../components/states.tsx";
import { sameValue, searchSettings } from "../lib/setting-control.ts";
import type { SettingsDraft } from "./draft.ts";
import { SettingField } from "./setting-field.tsx";

interface AllSettingsProps {
  draft: SettingsDraft;
  /** The common ones are elsewhere on the screen: here they only come up when they are searched for. */
  hasCommonElsewhere?: boolean;
  /** What the search begins with, for links to one setting. */
  find?: string;
}

export function AllSettings({ draft, hasCommonElsewhere = false, find = "" }: AllSettingsProps) {
  const [typed, setTyped] = useState(find);
  const [shown, setShown] = useState<"all" | "changed">("all");
  // What is given as changed does not go away while it is put back, so that nothing jumps under the pointer.
  const found = searchSettings(draft.settings, typed).filter(
    ({ name, isCommon, default: standard }) =>
      !(hasCommonElsewhere && isCommon && typed === "") &&
      (shown === "all" || name in draft.changed || !sameValue(draft.values[name], standard)),
  );
  const groups = Map.groupBy(found, ({ group }) => group);
  return (
    <div className="stack">
      <div className="settings-tools">
        <TextInput
          type="search"
          data-search
          aria-label="Search settings"
          placeholder={`Search ${draft.settings.length} settings`}
          value={typed}
          onValue={setTyped}
        />
        <Segmented
          label="Which settings"
          value={shown}
          onValue={setShown}
          options={[
            { value: "all", label: "All" },
            { value: "changed", label: "Not default" },
          ]}
        />
      </div>
      {groups.size === 0 && (
        <EmptyState title={typed === "" ? "Everything is at its default" : "No setting matches"}>
          {typed === ""
            ? "Settings that differ from their default appear here."
            : "Try another word, such as “robots” or “timeout”."}
        </EmptyState>
      )}
      {[...groups].map(([group, settings]) => (
        <section key={group} className="settings-group" aria-label={group}>
          <h3>{group}</h3>
          <div className="settings-grid">
            {settings.map((setting) => (
              <SettingField key={setting.name} setting={setting} draft={draft} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}
