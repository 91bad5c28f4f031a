/** What is known about a URL, in groups; for a rendered page, also what the browser saw and what it was before. */
import { CopyButton } from "../../components/controls/copy-button.tsx";
import { EmptyState } from "../../components/feedback/states.tsx";
import type { UrlDetail } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";
import { cellText, fieldLabel, fieldLook, useFields } from "../explorer/field-look.ts";
import { factsIn } from "./fact-groups.ts";
import { UrlLink } from "./inspect.tsx";

export function FactsTab({ detail: { facts, rendered } }: { detail: UrlDetail }) {
  const fields = useFields();
  const groups = factsIn([...fields.values()], facts);
  if (groups.length === 0) return <EmptyState title="Nothing is known yet">It is waiting to be crawled.</EmptyState>;
  return (
    <div className="stack">
      {groups.map((group) => (
        <section key={group.title}>
          <h3>{group.title}</h3>
          <dl className="facts">
            {group.facts.map(({ field, value }) => {
              const look = fieldLook(field);
              return (
                <div key={field.name} className="fact">
                  <dt title={field.description}>{field.label}</dt>
                  <dd>{look === "url" ? <UrlLink url={String(value)} /> : cellText(field.name, value, look)}</dd>
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

/** Facts of the page before its scripts ran. */
const RAW = /^raw[A-Z]/;
/** `rawWordCount` → wordCount. */
const withoutRaw = (name: string): string => name.charAt(3).toLowerCase() + name.slice(4);

function RenderedFacts({
  rendered,
  facts,
}: {
  rendered: NonNullable<UrlDetail["rendered"]>;
  facts: UrlDetail["facts"];
}) {
  const fields = useFields();
  const differing = String(facts["differs"] ?? "").split(", ");
  // What the page became is among its facts already.
  const rows = Object.entries(rendered).filter(([name, value]) => !(name in facts) && value !== null && value !== "");
  return (
    <section>
      <h3>In the browser</h3>
      <dl className="facts">
        {rows.map(([name, value]) => {
          const hasChanged = RAW.test(name) && differing.includes(withoutRaw(name));
          return (
            <div key={name} className="fact">
              <dt>{fieldLabel(fields, name)}</dt>
              <dd>
                {cellText(name, value, fieldLook(fields.get(name) ?? { unit: null, type: "text" }))}
                {hasChanged && <span className="fact-changed"> changed by scripts</span>}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

/** Response headers as received. */
export function HeadersTab({ headers }: { headers: UrlDetail["headers"] }) {
  if (headers.length === 0) {
    return (
      <EmptyState title="No headers">
        There was no answer, or the crawl did not store headers (setting “Store headers”).
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
