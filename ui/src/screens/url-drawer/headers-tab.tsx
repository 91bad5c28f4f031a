/** Response headers as they came. */
import { CopyButton } from "../../components/copy-button.tsx";
import { EmptyState } from "../../components/states.tsx";
import type { UrlDetail } from "../../lib/contract.ts";
import { plural } from "../../lib/format.ts";

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
