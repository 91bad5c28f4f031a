/** Which two crawls are compared. */
import { useNavigate } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import { Field } from "../../components/field.tsx";
import { Select } from "../../components/input.tsx";
import type { CrawlInfo } from "../../lib/contract.ts";
import { formatDateTime, plural } from "../../lib/format.ts";

interface CrawlPickersProps {
  /** Newest first. */
  crawls: readonly CrawlInfo[];
  crawlId: number;
  otherId: number;
}

export function CrawlPickers({ crawls, crawlId, otherId }: CrawlPickersProps) {
  const navigate = useNavigate();
  const go = (later: number, earlier: number) =>
    void navigate({
      to: "/crawls/$crawlId/compare",
      params: { crawlId: String(later) },
      search: { with: earlier < later ? earlier : undefined },
      resetScroll: false,
    });
  return (
    <div className="crawl-pickers">
      <Field label="Earlier crawl">
        {(control) => (
          <Select
            {...control}
            value={String(otherId)}
            onValue={(value) => go(crawlId, Number(value))}
            options={crawls.filter(({ id }) => id < crawlId).map(optionOf)}
          />
        )}
      </Field>
      <ArrowRight size={16} className="crawl-pickers-arrow" aria-hidden />
      <Field label="Later crawl">
        {(control) => (
          <Select
            {...control}
            value={String(crawlId)}
            onValue={(value) => go(Number(value), otherId)}
            options={crawls.slice(0, -1).map(optionOf)}
          />
        )}
      </Field>
    </div>
  );
}

const optionOf = ({ id, crawlDateTime, pagesCrawled, state }: CrawlInfo) => ({
  value: String(id),
  label: `#${id} · ${formatDateTime(crawlDateTime)} · ${plural(pagesCrawled, "URL")}${state === "completed" ? "" : ` · ${state}`}`,
});
