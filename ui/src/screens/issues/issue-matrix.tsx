/** Issues by severity and priority; each figure chooses what the list shows. */
import type { Issue } from "../../lib/contract.ts";
import { formatNumber } from "../../lib/format.ts";
import { priorityLabel, severityWords } from "../../lib/words.ts";
import { countIssues, type IssueChoice, PRIORITY_ORDER, SEVERITY_ORDER } from "./issue-lists.ts";

interface IssueMatrixProps {
  issues: readonly Issue[];
  choice: IssueChoice;
  onChoose: (change: Partial<IssueChoice>) => void;
}

export function IssueMatrix({ issues, choice, onChoose }: IssueMatrixProps) {
  return (
    <table className="issue-matrix">
      <thead>
        <tr>
          <td />
          {PRIORITY_ORDER.map((priority) => (
            <th key={priority} scope="col">
              {priorityLabel(priority)}
            </th>
          ))}
          <th scope="col">All</th>
        </tr>
      </thead>
      <tbody>
        {SEVERITY_ORDER.map((severity) => {
          const { plural, tone, glyph } = severityWords(severity);
          return (
            <tr key={severity} className={`tone-${tone}`}>
              <th scope="row">
                <span className="issue-glyph" aria-hidden>
                  {glyph}
                </span>
                {plural}
              </th>
              {[...PRIORITY_ORDER, undefined].map((priority) => {
                const count = countIssues(issues, { severity, priority });
                const isOn = choice.severity === severity && choice.priority === priority;
                const name = priority === undefined ? plural : `${plural}, ${priorityLabel(priority)} priority`;
                return (
                  <td key={priority ?? "all"}>
                    <button
                      type="button"
                      className="issue-cell"
                      aria-label={`${name}: ${count}`}
                      aria-pressed={isOn}
                      disabled={count === 0}
                      onClick={() => onChoose(isOn ? NONE : { severity, priority })}
                    >
                      {formatNumber(count)}
                    </button>
                  </td>
                );
              })}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const NONE: Partial<IssueChoice> = { severity: undefined, priority: undefined };
