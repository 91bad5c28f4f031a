/** What was found as a file: of all issues or of one. The browser downloads it itself, however large it is. */
import { Braces, Download, Link2, Sheet } from "lucide-react";
import { Menu } from "../../components/controls/menu.tsx";
import { download } from "../../lib/download.ts";
import { useCrawlId } from "../../lib/place.ts";

export function IssueExport({ rule, name = "issues" }: { rule: string | null; name?: string }) {
  const crawlId = useCrawlId();
  const found = (format: "csv" | "jsonl") =>
    download(crawlId, { what: "issues", format, rule, name, labels: format === "csv" });
  const links = {
    id: "links",
    label: "All links to these URLs, as CSV",
    icon: Link2,
    isApart: true,
    onSelect: () =>
      download(crawlId, {
        what: "links",
        format: "csv",
        filter: [`issue=${rule}`],
        name: `${name} inlinks`,
        labels: true,
      }),
  };
  return (
    <Menu
      label="Export"
      icon={Download}
      placement="below-end"
      items={[
        { id: "csv", label: "URLs with evidence as CSV", icon: Sheet, onSelect: () => found("csv") },
        { id: "jsonl", label: "URLs with evidence as JSON lines", icon: Braces, onSelect: () => found("jsonl") },
        ...(rule === null ? [] : [links]),
      ]}
    />
  );
}
