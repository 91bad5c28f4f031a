/** One setting as a form row: the control that its type asks for, its meaning, and the way back. */
import { RotateCcw } from "lucide-react";
import { IconButton } from "../components/button.tsx";
import { CheckList, Switch } from "../components/choice.tsx";
import { Field } from "../components/field.tsx";
import { NumberInput, Select, TextInput } from "../components/input.tsx";
import { KeyValueList } from "../components/key-value-list.tsx";
import { TagList } from "../components/tag-list.tsx";
import type { Setting } from "../lib/contract.ts";
import { allowsNull, controlOf, sameValue, shownValue } from "../lib/setting-control.ts";
import type { SettingsDraft } from "./draft.ts";
import "./setting-field.css";

export function SettingField({ setting, draft }: { setting: Setting; draft: SettingsDraft }) {
  const { name, label, description } = setting;
  const value = draft.values[name];
  const isChanged = name in draft.changed;
  const isDefault = sameValue(value, setting.default);
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
                  label="Back to the default"
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
          options={kind.options.map((one) => ({ value: one, label: one }))}
        />
      );
    case "choices":
      return <CheckList label={label} options={kind.options} chosen={texts(value)} onValue={onValue} />;
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
