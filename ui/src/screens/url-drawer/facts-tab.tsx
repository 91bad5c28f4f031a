/** What is known of a URL, in groups; for a rendered page, also what its scripts changed. */
import { useQuery } from "@tanstack/react-query";
import { CopyButton } from "../../components/controls/copy-button.tsx";
import { EmptyState } from "../../components/feedback/states.tsx";
import type { UrlDetail } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";
import { queries } from "../../lib/queries.ts";
import { cellText, fieldLabel, fieldLook } from "../explorer/field-labels.ts";
import { FACT_GROUPS, factsIn } from "./fact-groups.ts";
import { UrlLink } from "./inspect.tsx";

export function FactsTab({ detail: { facts, rendered } }: { detail: UrlDetail }) {
  const fields = useQuery(queries.fields()).data ?? [];
  const about = new Map(fields.map((field) => [field.name, field]));
  const groups = factsIn(FACT_GROUPS, facts);
  if (groups.length === 0) return <EmptyState title="Nothing is known yet">It waits to be crawled.</EmptyState>;
  return (
    <div className="stack">
      {groups.map((group) => (
        <section key={group.title}>
          <h3>{group.title}</h3>
          <dl className="facts">
            {group.facts.map(({ name, value }) => {
              const look = fieldLook(name, about.get(name)?.type ?? "text");
              return (
                <div key={name} className="fact">
                  <dt title={about.get(name)?.description}>{fieldLabel(name)}</dt>
                  <dd>{look === "url" ? <UrlLink url={String(value)} /> : cellText(value, look)}</dd>
                </div>
              );
            })}
          </dl>
        </section>
      ))}
      {rendered !== null && <RenderedFacts rendered={rendered} facts={facts} />}
    </div>
  );
}

function RenderedFacts({
  rendered,
  facts,
}: {
  rendered: Record<string, string | number | null>;
  facts: UrlDetail["facts"];
}) {
  const rows = Object.entries(rendered).filter(([, value]) => value !== null && value !== "");
  return (
    <section>
      <h3>After its scripts ran</h3>
      <dl className="facts">
        {rows.map(([name, value]) => {
          const hasChanged = name in facts && facts[name] !== value;
          return (
            <div key={name} className="fact">
              <dt>{fieldLabel(name)}</dt>
              <dd>
                {cellText(value, fieldLook(name, typeof value === "number" ? "number" : "text"))}
                {hasChanged && <span className="fact-changed"> changed by scripts</span>}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

/** Response headers as they came. */
export function HeadersTab({ headers }: { headers: UrlDetail["headers"] }) {
  if (headers.length === 0) {
    return (
      <EmptyState title="No headers">
        There was no answer, or the crawl did not keep headers (the setting “storeHeaders”).
      </EmptyState>
    );
  }
  return (
    <div className="stack-tight">
      <div className="row-apart">
        <span className="muted">{plural(headers.length, "header")}</span>
        <CopyButton text={headers.map(([name, value]) => `${name}: ${value}`).join("\n")} label="Copy all headers" />
      </div>
      <dl className="facts">
        {headers.map(([name, value], at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header may come twice.
          <div key={at} className="fact">
            <dt className="mono">{name}</dt>
            <dd className="mono">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
