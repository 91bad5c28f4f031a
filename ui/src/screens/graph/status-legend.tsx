/** What the colours mean; each class can be taken out of the drawing. */
import { formatNumber } from "../../lib/format.ts";
import { type GraphNode, legendOf } from "./graph-model.ts";

interface StatusLegendProps {
  nodes: readonly GraphNode[];
  hidden: ReadonlySet<string>;
  onHidden: (hidden: ReadonlySet<string>) => void;
}

export function StatusLegend({ nodes, hidden, onHidden }: StatusLegendProps) {
  return (
    <fieldset className="graph-legend" aria-label="Statuses to show">
      {legendOf(nodes).map(({ name, label, tone, count }) => (
        <label key={name} className={`check tone-${tone}`}>
          <input
            type="checkbox"
            checked={!hidden.has(name)}
            onChange={({ target }) =>
              onHidden(new Set(target.checked ? [...hidden].filter((one) => one !== name) : [...hidden, name]))
            }
          />
          <span className="graph-dot" aria-hidden />
          {name === "error" ? label : `${name} ${label}`} <span className="muted">{formatNumber(count)}</span>
        </label>
      ))}
      <span className="muted graph-key">Larger: more links lead there.</span>
    </fieldset>
  );
}
