/** The groups of rules as people know them, with their open findings; each narrows the list. */
import { Card } from "../../components/layout/page.tsx";
import type { IssueList } from "../../lib/contract.ts";
import { formatNumber, plural } from "../../lib/format.ts";
import { severityWords } from "../../lib/words.ts";
import type { IssueChoice } from "./issue-lists.ts";
import { SEVERITY_ORDER } from "./issue-lists.ts";

interface GroupCardProps {
  groups: IssueList["groups"];
  choice: IssueChoice;
  onChoose: (change: Partial<IssueChoice>) => void;
}

export function GroupCard({ groups, choice, onChoose }: GroupCardProps) {
  const shown = groups.filter((group) => group.open > 0 || group.passed > 0);
  return (
    <Card title="Groups" info="Issues of each group by severity. Choose a group to see only its issues.">
      <ul className="issue-groups">
        {shown.map((counts) => {
          const { group, open, passed } = counts;
          const isOn = choice.group === group;
          return (
            <li key={group}>
              <button
                type="button"
                className="issue-group"
                aria-pressed={isOn}
                disabled={open === 0}
                title={open === 0 ? `${plural(passed, "check")} passed` : plural(open, "open finding")}
                onClick={() => onChoose({ group: isOn ? undefined : group })}
              >
                <span className="cut">{group}</span>
                {SEVERITY_ORDER.filter((severity) => counts[severity] > 0).map((severity) => {
                  const { tone, glyph, label } = severityWords(severity);
                  return (
                    <span key={severity} className={`issue-group-count tone-${tone}`}>
                      <span aria-hidden>{glyph}</span>
                      <span className="visually-hidden">{label}</span> {formatNumber(counts[severity])}
                    </span>
                  );
                })}
                {open === 0 && <span className="muted">passed</span>}
              </button>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
