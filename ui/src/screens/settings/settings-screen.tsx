/** Settings: the defaults for crawls of this domain, manual or scheduled. */

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { RelativeTime } from "../../components/data/labels.tsx";
import { Confirm } from "../../components/feedback/dialog.tsx";
import { ErrorState, Skeleton } from "../../components/feedback/states.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { Card, Page } from "../../components/layout/page.tsx";
import { useDeleteProject, useUpdateConfig } from "../../lib/changes.ts";
import type { Config, Project, Setting } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";
import { usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { useSettingsDraft } from "../../settings/draft.ts";
import { RuleTester } from "../../settings/rule-tester.tsx";
import { AllSettings } from "../../settings/settings-form.tsx";
import "./settings-screen.css";

export function SettingsScreen() {
  const { project, active } = usePlace();
  const settings = useQuery(queries.settings());
  const config = useQuery({ ...queries.config(project?.url ?? ""), enabled: project !== null });
  const error = settings.error ?? config.error;
  return (
    <Page
      title="Settings"
      tabTitle={project === null ? "Settings" : `Settings of ${unicodeHost(project.domain)}`}
      subtitle={
        config.data && (
          <>
            <span>Defaults for crawls of {unicodeHost(config.data.domain)}</span>
            {config.data.updatedAt !== null && (
              <span>
                saved <RelativeTime at={config.data.updatedAt} />
              </span>
            )}
          </>
        )
      }
    >
      {error !== null && (
        <ErrorState error={error} onRetry={() => void Promise.all([settings.refetch(), config.refetch()])} />
      )}
      {error === null && (project === null || !settings.data || !config.data) && <Skeleton lines={8} />}
      {project !== null && settings.data && config.data && (
        <SettingsForm
          key={project.id}
          project={project}
          settings={settings.data}
          config={config.data}
          isActive={active !== null}
        />
      )}
    </Page>
  );
}

interface SettingsFormProps {
  project: Project;
  settings: Setting[];
  config: Config;
  isActive: boolean;
}

function SettingsForm({ project, settings, config, isActive }: SettingsFormProps) {
  const draft = useSettingsDraft(settings, config.settings);
  const { find } = useSearch({ from: "/projects/$projectId/settings" });
  const update = useUpdateConfig();
  const toast = useToast();
  const changes = Object.keys(draft.changed).length;
  const save = () =>
    update.mutate(
      { url: project.url, settings: draft.changed },
      {
        onSuccess: () => {
          draft.replace({});
          toast.show({ tone: "ok", title: "Settings saved", detail: "The next crawl will use them." });
        },
        onError: (error) => toast.fail(error),
      },
    );
  return (
    <div className="main-and-side">
      <div className="stack">
        <Card title="Crawl settings">
          <AllSettings draft={draft} find={find} />
        </Card>
        {changes > 0 && (
          <div className="save-bar" role="status">
            <span className="grow">{plural(changes, "unsaved change")}</span>
            <Button onClick={() => draft.replace({})}>Discard</Button>
            <Button
              look="primary"
              isBusy={update.isPending}
              disabled={Object.keys(draft.problems).length > 0}
              onClick={save}
            >
              Save settings
            </Button>
          </div>
        )}
      </div>
      <div className="stack">
        <Card
          title="Test URLs against the rules"
          info="Uses the settings shown here, saved or not. Nothing is crawled."
        >
          <RuleTester start={project.url} settings={draft.changed} />
        </Card>
        <DeleteProject project={project} isActive={isActive} />
      </div>
    </div>
  );
}

function DeleteProject({ project: { id, domain, crawls }, isActive }: { project: Project; isActive: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const name = unicodeHost(domain);
  const remove = useDeleteProject();
  const navigate = useNavigate();
  const confirm = async () => {
    await remove.mutateAsync(id);
    await navigate({ to: "/" });
  };
  return (
    <Card title="Delete this project">
      <div className="stack-tight">
        <p className="muted">This deletes {plural(crawls, "crawl")} with all data, these settings and the schedule.</p>
        <div>
          <Button disabled={isActive} onClick={() => setAsking(true)}>
            Delete {name}…
          </Button>
        </div>
        {isActive && <p className="muted">A crawl is running. Stop it first.</p>}
      </div>
      {isAsking && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete project"
          typed={name}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>This deletes everything stored for this project on this machine. It cannot be undone.</p>
        </Confirm>
      )}
    </Card>
  );
}
