/** Why a URL was crawled or not: the verdict, what decided, and the path to it from the start. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../../components/data/labels.tsx";
import { Loaded } from "../../components/feedback/states.tsx";
import type { Setting, UrlWhy } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";
import { usePlace } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { reasonLabel, ruleText, verdictWords } from "../../lib/words.ts";
import { settingLabel, shownValue } from "../../settings/setting-control.ts";
import { UrlLink } from "./inspect.tsx";

export function WhyTab({ url }: { url: string }) {
  const { crawlId } = usePlace();
  const why = useQuery(queries.why(crawlId ?? 0, url));
  return (
    <Loaded query={why}>
      {(data) => (
        <div className="stack">
          <Verdict why={data} />
          <CrawlPath path={data.path} depth={data.depth} />
        </div>
      )}
    </Loaded>
  );
}

function Verdict({ why: { verdict, meaning, reason, rule, directive, setting, outcome } }: { why: UrlWhy }) {
  const { projectId } = usePlace();
  const settings = useQuery(queries.settings()).data ?? [];
  const known = verdictWords(verdict);
  return (
    <section className="verdict">
      <p className="row">
        <Badge tone={known.tone}>{known.label}</Badge>
        <span>{meaning ?? known.text}</span>
      </p>
      <dl className="facts">
        {outcome !== null && <Fact label="Result" value={outcome} />}
        {reason !== null && <Fact label="Reason" value={reasonLabel(reason)} />}
        {rule !== null && <Fact label="Rule" value={<code>{ruleText(rule, settings)}</code>} />}
        {directive !== null && (
          <Fact
            label="Said by"
            value={
              <>
                <UrlLink url={directive.page} />
                <code>{directive.written}</code>
                <span className="muted">It counts for all links of that page.</span>
              </>
            }
          />
        )}
        {setting !== null && (
          <Fact
            label="Setting"
            value={
              <>
                <span>
                  {settingLabel(settings, setting.name)}: {settingText(settings, setting)}
                </span>
                <span className="muted">{setting.description}</span>
                {projectId !== null && (
                  <Link to="/projects/$projectId/settings" params={{ projectId: String(projectId) }}>
                    Change it in the settings
                  </Link>
                )}
              </>
            }
          />
        )}
      </dl>
    </section>
  );
}

const settingText = (settings: readonly Setting[], { name, value }: NonNullable<UrlWhy["setting"]>): string =>
  shownValue(settings.find((one) => one.name === name) ?? { zero: null }, value);

const Fact = ({ label, value }: { label: string; value: ReactNode }) => (
  <div className="fact">
    <dt>{label}</dt>
    <dd>{value}</dd>
  </div>
);

const VIAS: Record<string, string> = {
  initial: "the start",
  list: "in the list",
  sitemap: "in a sitemap",
  llms: "in llms.txt",
  spider: "by a link",
  redirect: "by a redirect",
  network: "requested by a script",
  resource: "as a resource",
};

function CrawlPath({ path, depth }: { path: UrlWhy["path"]; depth: number }) {
  return (
    <section>
      <h3>Crawl path{depth > 0 && <span className="muted">, {plural(depth, "link")} from the start</span>}</h3>
      <ol className="way">
        {path.map(({ url, via, linkText }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps of one path, in their order.
          <li key={at} className="way-step">
            <UrlLink url={url} />
            <span className="muted">
              {VIAS[via] ?? via}
              {linkText !== null && linkText !== "" && <q className="link-text">{linkText}</q>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
