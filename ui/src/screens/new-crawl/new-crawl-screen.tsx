/** New crawl: what to crawl, the common settings, all the others, and a test of the rules before the start. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Button, IconButton } from "../../components/controls/button.tsx";
import { Segmented } from "../../components/controls/input.tsx";
import { Loaded } from "../../components/feedback/states.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { useStartCrawl } from "../../lib/changes.ts";
import type { Config, DescribedCrawl, Setting } from "../../lib/contract.ts";
import { PRESETS, presetNamed } from "../../lib/presets.ts";
import { queries } from "../../lib/queries.ts";
import { useRested } from "../../lib/timing.ts";
import { looksLikeUrl } from "../../lib/web-link.ts";
import { defaultsOf, type SettingsDraft, useSettingsDraft } from "../../settings/draft.ts";
import { RuleTester } from "../../settings/rule-tester.tsx";
import { AllSettings, SettingField } from "../../settings/settings-form.tsx";
import { CrawlTarget, linesOf, type Target } from "./crawl-target.tsx";
import "./new-crawl-screen.css";
import { X } from "lucide-react";
import { problemFrom } from "../../lib/api.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { changedSettings, settingLabel, shownValue } from "../../settings/setting-control.ts";

const route = getRouteApi("/new");

export function NewCrawlScreen() {
  const { from } = route.useSearch();
  const settings = useQuery(queries.settings());
  const repeated = useQuery({ ...queries.summary(from ?? 0), enabled: from !== undefined });
  if (from === undefined) {
    return (
      <Page title="New crawl">
        <Loaded query={settings}>{(all) => <NewCrawlForm settings={all} repeated={null} />}</Loaded>
      </Page>
    );
  }
  return (
    <Page
      title="Crawl again"
      subtitle={<span>{`The URL and settings of crawl #${from}. Change what you like, then start.`}</span>}
    >
      <Loaded query={settings}>
        {(all) => (
          <Loaded query={repeated}>
            {(described) => <NewCrawlForm key={from} settings={all} repeated={described.crawl} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

interface NewCrawlFormProps {
  settings: Setting[];
  /** The crawl whose URL and settings are taken. */
  repeated: DescribedCrawl["crawl"] | null;
}

function NewCrawlForm({ settings, repeated }: NewCrawlFormProps) {
  const { url: givenUrl, preset: givenPreset, raise } = route.useSearch();
  const [target, setTarget] = useState<Target>({
    mode: repeated?.mode ?? "site",
    url: repeated?.mode === "site" ? (repeated.startUrls[0] ?? "") : (givenUrl ?? ""),
    list: "",
    isIncremental: false,
  });
  // A repeated crawl has its own settings, until a preset is chosen.
  const [presetId, setPresetId] = useState(repeated === null ? presetNamed(givenPreset).id : "");
  const start = useStartCrawl();
  const navigate = useNavigate();
  const firstUrl = target.mode === "site" ? target.url.trim() : (linesOf(target.list)[0] ?? "");
  const isSameList = target.mode === "list" && repeated?.mode === "list" && firstUrl === "";
  const restedUrl = useRested(firstUrl);
  const config = useQuery({ ...queries.config(restedUrl), enabled: looksLikeUrl(restedUrl) }).data;
  // All of them: what is at its default there may be saved otherwise for the site now.
  const initial =
    repeated === null
      ? presetNamed(givenPreset).settings
      : Object.fromEntries(Object.entries(repeated.settings).filter(([name]) => name !== raise));
  const draft = useSettingsDraft(settings, config?.settings ?? defaultsOf(settings), initial);
  const hasProblems = Object.keys(draft.problems).length > 0;

  const choosePreset = (id: string) => {
    setPresetId(id);
    draft.replace(presetNamed(id).settings);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const site = target.mode === "site" ? { url: target.url.trim() } : { urls: linesOf(target.list) };
    // The server knows the crawl's secrets, which are hidden here, and its list.
    const again = repeated === null ? {} : { again: repeated.id };
    const what = { ...again, ...(isSameList ? {} : site) };
    // What is not sent stays as it was in the repeated crawl, so a setting that is back at its default has to be sent.
    const asked = repeated === null ? draft.changed : changedSettings(draft.editable, draft.values, repeated.settings);
    start.mutate(
      { ...what, settings: asked, since: target.isIncremental ? "last" : null },
      {
        onSuccess: ({ crawlId }) =>
          void navigate({ to: "/crawls/$crawlId/live", params: { crawlId: String(crawlId) } }),
      },
    );
  };
  const startButton = (
    <Button
      type="submit"
      form="new-crawl"
      look="primary"
      className="new-crawl-start"
      isBusy={start.isPending}
      disabled={(firstUrl === "" && !isSameList) || hasProblems}
    >
      Start crawl
    </Button>
  );
  return (
    <>
      <div className="main-and-side">
        <div className="stack">
          <Card title="What to crawl">
            <form id="new-crawl" onSubmit={submit}>
              <CrawlTarget target={target} onTarget={setTarget} domain={config?.domain ?? null} />
            </form>
          </Card>
          <Card title="Common settings">
            <div className="stack-tight">
              <div className="row">
                <Segmented
                  label="Preset"
                  value={presetId}
                  onValue={choosePreset}
                  options={PRESETS.map(({ id, label, description }) => ({ value: id, label, title: description }))}
                />
                <span className="muted">
                  {presetId === "" ? `The settings of crawl #${repeated?.id}.` : presetNamed(presetId).description}
                </span>
              </div>
              <div className="settings-grid">
                {settings
                  .filter(({ isCommon }) => isCommon)
                  .map((setting) => (
                    <SettingField key={setting.name} setting={setting} draft={draft} />
                  ))}
              </div>
            </div>
          </Card>
          <Card title="All other settings">
            <AllSettings draft={draft} hasCommonElsewhere />
          </Card>
        </div>
        <div className="stack new-crawl-side">
          <Card title="Ready to start">
            <StartSummary draft={draft} config={config ?? null} error={start.error} />
            {startButton}
          </Card>
          <Card
            title="Test URLs against the rules"
            info="Checks scope, include and exclude patterns, limits and, if you want, robots.txt. Nothing is crawled."
          >
            <RuleTester start={firstUrl} settings={draft.changed} />
          </Card>
        </div>
      </div>
      <div className="new-crawl-bar">{startButton}</div>
    </>
  );
}

interface StartSummaryProps {
  draft: SettingsDraft;
  config: Config | null;
  error: unknown;
}

/** How the crawl differs from the defaults, and what keeps it from starting. */
export function StartSummary({ draft, config, error }: StartSummaryProps) {
  const changed = Object.keys(draft.changed);
  const problems = Object.keys(draft.problems).length;
  const saved = config?.changed.filter((name) => !(name in draft.changed)) ?? [];
  return (
    <div className="stack-tight">
      {changed.length === 0 && saved.length === 0 && <p className="muted">All settings are at their defaults.</p>}
      {saved.length > 0 && (
        <p className="muted">
          Saved for {unicodeHost(config?.domain ?? "")}:{" "}
          {saved.map((name) => settingLabel(draft.settings, name)).join(", ")}
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
      {problems > 0 && <p className="field-error">Fix the marked settings to start the crawl.</p>}
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
