/** The box for an address: starts a crawl with a preset, or continues to its settings. */
import { useNavigate } from "@tanstack/react-router";
import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Segmented, TextInput } from "../../components/controls/input.tsx";
import { problemFrom } from "../../lib/api.ts";
import { useStartCrawl } from "../../lib/changes.ts";
import { PRESETS, presetNamed } from "../../lib/presets.ts";

export function UrlBox() {
  const [url, setUrl] = useState("");
  const [presetId, setPresetId] = useState(PRESETS[0]!.id);
  const start = useStartCrawl();
  const navigate = useNavigate();
  const preset = presetNamed(presetId);
  const submit = () =>
    start.mutate(
      { url: url.trim(), settings: preset.settings },
      {
        onSuccess: ({ crawlId }) =>
          void navigate({ to: "/crawls/$crawlId/live", params: { crawlId: String(crawlId) } }),
      },
    );
  return (
    <form
      className="url-box"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="url-box-row">
        <TextInput
          autoFocus
          data-search
          aria-label="Address of the website"
          aria-invalid={start.isError || undefined}
          aria-describedby="url-box-note"
          className="url-box-input"
          inputMode="url"
          autoCapitalize="none"
          autoComplete="url"
          spellCheck={false}
          placeholder="example.com"
          required
          value={url}
          onValue={(text) => {
            setUrl(text);
            start.reset();
          }}
        />
        <Button type="submit" look="primary" isBusy={start.isPending} disabled={url.trim() === ""}>
          Start crawl
        </Button>
        <Button
          icon={SlidersHorizontal}
          onClick={() => void navigate({ to: "/new", search: { url: url.trim() || undefined, preset: presetId } })}
        >
          Set up
        </Button>
      </div>
      <div className="url-box-presets">
        <Segmented
          label="Preset"
          value={presetId}
          onValue={setPresetId}
          options={PRESETS.map(({ id, label, description }) => ({ value: id, label, title: description }))}
        />
        <p
          id="url-box-note"
          className={start.isError ? "field-error" : "muted"}
          role={start.isError ? "alert" : undefined}
        >
          {start.isError ? errorText(start.error) : preset.description}
        </p>
      </div>
    </form>
  );
}

function errorText(error: unknown): string {
  const { detail, title, hint } = problemFrom(error);
  return [detail ?? title, hint].filter(Boolean).join(" ");
}
