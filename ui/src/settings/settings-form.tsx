/** Settings as a form: one row per setting, with the control for its type; all of them by group, with a search. */
import { RotateCcw } from "lucide-react";
import { IconButton } from "../components/controls/button.tsx";
import { Field } from "../components/controls/field.tsx";
import { CheckList, NumberInput, Segmented, Select, Switch, TextInput } from "../components/controls/input.tsx";
import type { Setting } from "../lib/contract.ts";
import { optionLabel } from "../lib/words.ts";
import type { SettingsDraft } from "./draft.ts";
import { KeyValueList, TagList } from "./list-inputs.tsx";
import { allowsNull, controlOf, sameValue, searchSettings, shownValue } from "./setting-control.ts";
import "./settings-form.css";
import { useState } from "react";
import { EmptyState } from "../components/feedback/states.tsx";

/** One setting as a form row: its control, its meaning, and a way to undo. */
export function SettingField({ setting, draft }: { setting: Setting; draft: SettingsDraft }) {
  const { name, label, description } = setting;
  const value = draft.values[name];
  const isChanged = name in draft.changed;
  const isDefault = sameValue(value, setting.default);
  if (setting.ownerOnly !== null) return <OwnerSetting setting={setting} value={value} because={setting.ownerOnly} />;
  return (
    <div className={isChanged ? "setting setting-changed" : "setting"} data-setting={name}>
      <Field
        isInline
        label={label}
        info={isDefault ? description : `${description} Default: ${shownValue(setting, setting.default)}.`}
        error={draft.problems[name] ?? null}
      >
        {(control) => (
          <div className="setting-control">
            <Control setting={setting} value={value} onValue={(next) => draft.set(name, next)} control={control} />
            {isChanged ? (
              <IconButton label="Undo this change" icon={RotateCcw} onClick={() => draft.undo(name)} />
            ) : (
              !isDefault && (
                <IconButton
                  label="Reset to default"
                  icon={RotateCcw}
                  onClick={() => draft.set(name, setting.default)}
                />
              )
            )}
          </div>
        )}
      </Field>
    </div>
  );
}

/** A setting that cannot be changed here: the value in use, and where to change it. */
function OwnerSetting({ setting, value, because }: { setting: Setting; value: unknown; because: string }) {
  const { name, label, description } = setting;
  return (
    <div className="setting" data-setting={name}>
      <Field
        isInline
        label={label}
        info={`${description} It can only be changed on the command line of this machine, with “trawl config save”, because ${because}.`}
        help="Set on the command line only"
      >
        {({ id }) => (
          <output id={id} className="setting-fixed">
            {shownValue(setting, value)}
          </output>
        )}
      </Field>
    </div>
  );
}

interface ControlProps {
  setting: Setting;
  value: unknown;
  onValue: (value: unknown) => void;
  control: { id: string; "aria-invalid": boolean | undefined; "aria-describedby": string | undefined };
}

function Control({ setting, value, onValue, control }: ControlProps) {
  const kind = controlOf(setting);
  const { label, zero } = setting;
  switch (kind.kind) {
    case "switch":
      return <Switch {...control} isOn={value === true} onValue={onValue} />;
    case "number":
      return (
        <NumberInput {...control} zero={zero} value={typeof value === "number" ? value : null} onValue={onValue} />
      );
    case "choice":
      return (
        <Select
          {...control}
          value={String(value)}
          onValue={onValue}
          options={kind.options.map((one) => ({ value: one, label: optionLabel(one) }))}
        />
      );
    case "choices":
      return (
        <CheckList
          label={label}
          options={kind.options.map((one) => ({ value: one, label: optionLabel(one) }))}
          chosen={texts(value)}
          onValue={onValue}
        />
      );
    case "list":
      return (
        <TagList
          id={control.id}
          label={label}
          values={texts(value)}
          placeholder={value === null ? "Built-in list; type to use your own" : undefined}
          onValue={(list) => onValue(list.length === 0 && allowsNull(setting) ? null : list)}
        />
      );
    case "pairs":
      return <KeyValueList label={label} pairs={(value ?? {}) as Record<string, string>} onValue={onValue} />;
    case "text":
      return (
        <TextInput
          {...control}
          value={typeof value === "string" ? value : ""}
          placeholder={value === null ? "Not set" : undefined}
          spellCheck={false}
          autoComplete="off"
          onValue={(text) => onValue(text === "" && allowsNull(setting) ? null : text)}
        />
      );
  }
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

interface AllSettingsProps {
  draft: SettingsDraft;
  /** The common settings are elsewhere on the screen: here they appear only in search results. */
  hasCommonElsewhere?: boolean;
  /** Initial search text, for links to one setting. */
  find?: string;
}

/** Every setting by group, with a search over names and meanings. */
export function AllSettings({ draft, hasCommonElsewhere = false, find = "" }: AllSettingsProps) {
  const [typed, setTyped] = useState(find);
  const [shown, setShown] = useState<"all" | "changed">("all");
  // A setting listed as changed stays while it is reset, so that nothing jumps under the pointer.
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
            { value: "changed", label: "Non-default" },
          ]}
        />
      </div>
      {groups.size === 0 && (
        <EmptyState title={typed === "" ? "All settings are at their defaults" : "No setting matches"}>
          {typed === ""
            ? "Settings that differ from their defaults appear here."
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
