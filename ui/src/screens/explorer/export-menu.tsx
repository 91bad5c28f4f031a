/** The rows and columns that are shown, as a file. The browser fetches it itself, however large it is. */
import { Braces, Download, Sheet, TableProperties } from "lucide-react";
import { Menu } from "../../components/menu.tsx";
import { apiUrl } from "../../lib/api.ts";
import type { UrlView } from "./url-view.ts";

export function ExportMenu({ crawlId, view }: { crawlId: number; view: UrlView }) {
  const download = (format: "csv" | "jsonl", fields: readonly string[] | undefined) => {
    const { filter, search, sort } = view;
    const link = document.createElement("a");
    link.href = apiUrl(`/crawls/${crawlId}/export`, { format, fields: fields?.join(","), filter, search, sort });
    // The server names the file; the attribute only keeps the page from being left.
    link.download = "";
    link.click();
  };
  return (
    <Menu
      label="Export"
      icon={Download}
      placement="below-end"
      items={[
        { id: "csv", label: "This view as CSV", icon: Sheet, onSelect: () => download("csv", view.fields) },
        { id: "jsonl", label: "This view as JSON lines", icon: Braces, onSelect: () => download("jsonl", view.fields) },
        {
          id: "all",
          label: "These rows, all columns, as CSV",
          icon: TableProperties,
          isApart: true,
          onSelect: () => download("csv", undefined),
        },
      ]}
    />
  );
}
