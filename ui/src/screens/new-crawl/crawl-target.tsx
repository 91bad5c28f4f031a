/** What a crawl starts with: the address of a website, or a list of URLs. */

import { Field } from "../../components/controls/field.tsx";
import { Segmented, Switch, TextArea, TextInput } from "../../components/controls/input.tsx";
import { plural } from "../../lib/format.ts";
import { unicodeHost } from "../../lib/unicode-host.ts";
import { looksLikeUrl } from "../../lib/web-link.ts";

export interface Target {
  mode: "site" | "list";
  url: string;
  /** One URL per line. */
  list: string;
  /** Pages that did not change since the last crawl are not downloaded again. */
  isIncremental: boolean;
}

export const linesOf = (list: string): string[] =>
  list
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);

interface CrawlTargetProps {
  target: Target;
  onTarget: (target: Target) => void;
  /** The project that the crawl will belong to; null while no address is known. */
  domain: string | null;
}

export function CrawlTarget({ target, onTarget, domain }: CrawlTargetProps) {
  const change = (part: Partial<Target>) => onTarget({ ...target, ...part });
  const lines = linesOf(target.list);
  const wrong =
    target.url.trim() !== "" && !looksLikeUrl(target.url) ? "This does not look like an address yet." : null;
  const odd = lines.filter((line) => !looksLikeUrl(line));
  return (
    <div className="stack">
      <Segmented
        label="Kind of crawl"
        value={target.mode}
        onValue={(mode) => change({ mode })}
        options={[
          { value: "site", label: "Website", title: "Start at a URL and follow its links" },
          { value: "list", label: "List of URLs", title: "Fetch these URLs, but not what they link to" },
        ]}
      />
      {target.mode === "site" ? (
        <Field
          label="Start URL"
          error={wrong}
          help={
            domain === null ? "For example, example.com or https://example.com/shop/" : `Project ${unicodeHost(domain)}`
          }
        >
          {(control) => (
            <TextInput
              {...control}
              autoFocus
              inputMode="url"
              autoCapitalize="none"
              autoComplete="url"
              spellCheck={false}
              placeholder="example.com"
              value={target.url}
              onValue={(url) => change({ url })}
            />
          )}
        </Field>
      ) : (
        <Field
          label="URLs, one per line"
          error={
            odd.length > 0
              ? `${plural(odd.length, "line")} of ${lines.length} cannot be read as a URL; the first is ${odd[0]}`
              : null
          }
          help={
            lines.length === 0
              ? "Only these URLs are fetched; their links are not followed."
              : plural(lines.length, "URL")
          }
        >
          {(control) => (
            <TextArea
              {...control}
              rows={8}
              spellCheck={false}
              className="mono"
              value={target.list}
              onValue={(list) => change({ list })}
            />
          )}
        </Field>
      )}
      <label className="check" htmlFor="incremental">
        <Switch id="incremental" isOn={target.isIncremental} onValue={(isIncremental) => change({ isIncremental })} />
        Only fetch what changed since the last completed crawl
      </label>
    </div>
  );
}
