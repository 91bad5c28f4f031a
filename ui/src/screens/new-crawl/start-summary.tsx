/** What the crawl will differ in from the default, and what keeps it from starting. */
import { X } from "lucide-react";
import { IconButton } from "../../components/button.tsx";
import { problemFrom } from "../../lib/api.ts";
import type { Config, Setting } from "../../lib/contract.ts";
import { settingLabel, shownValue } from "../../lib/setting-control.ts";
import type { SettingsDraft } from "../../settings/draft.ts";

interface StartSummaryProps {
  draft: SettingsDraft;
  config: Config | null;
  error: unknown;
}

export function StartSummary({ draft, config, error }: StartSummaryProps) {
  const changed = Object.keys(draft.changed);
  const problems = Object.keys(draft.problems).length;
  const saved = config?.changed.filter((name) => !(name in draft.changed)) ?? [];
  return (
    <div className="stack-tight">
      {changed.length === 0 && saved.length === 0 && <p className="muted">Every setting is at its default.</p>}
      {saved.length > 0 && (
        <p className="muted">
          Saved for {config?.domain}: {saved.map((name) => settingLabel(draft.settings, name)).join(", ")}
        </p>
      )}
      {changed.length > 0 && (
        <ul className="summary-list">
          {draft.settings
            .filter(({ name }) => name in draft.changed)
            .map((setting) => (
              <ChangedSetting key={setting.name} setting={setting} draft={draft} />
            ))}
        </ul>
      )}
      {problems > 0 && <p className="field-error">Mend what is marked before the crawl can start.</p>}
      {error !== null && (
        <p className="field-error" role="alert">
          {[problemFrom(error).detail ?? problemFrom(error).title, problemFrom(error).hint].filter(Boolean).join(" ")}
        </p>
      )}
    </div>
  );
}

function ChangedSetting({ setting, draft }: { setting: Setting; draft: SettingsDraft }) {
  const { name, label } = setting;
  const shown = shownValue(setting, draft.changed[name]);
  return (
    <li className={name in draft.problems ? "summary-row field-error" : "summary-row"}>
      <span>{label}</span>
      <strong className="cut" title={shown}>
        {shown}
      </strong>
      <IconButton label={`Undo ${label}`} icon={X} onClick={() => draft.undo(name)} />
    </li>
  );
}
