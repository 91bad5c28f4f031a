/** The choice among fetches: URL, status, page type and age, as on the command line. */
import { Select } from "../../components/controls/input.tsx";
import { SearchBox } from "../../components/controls/search-box.tsx";
import { STATUS_CLASSES } from "../../lib/status.ts";
import type { Archive } from "./archive-queries.ts";
import { AGES, type Choice } from "./archive-view.ts";
import { useView } from "./use-view.ts";

const STATUSES = STATUS_CLASSES.filter(({ name }) => /^\dxx$/.test(name)).map(({ name, label }) => ({
  value: name as string,
  label: `${name} ${label}`,
}));
const NO_ANSWER = { value: "0", label: "No answer" };

/** `isFailures`: a page that redirects or is OK has not failed. */
export function ChoiceFilters({ archive, isFailures = false }: { archive: Archive; isFailures?: boolean }) {
  const [view, choose] = useView();
  const offered = [...(isFailures ? STATUSES.filter(({ value }) => /^[45]/.test(value)) : STATUSES), NO_ANSWER];
  const isListed = view.status === undefined || offered.some(({ value }) => value === view.status);
  const pick = (name: keyof Choice) => (value: string) => choose({ [name]: value === "" ? undefined : value });
  return (
    <>
      <SearchBox
        label="Part of a URL, a glob, or /regex/"
        text={view.match ?? ""}
        onSearch={(match) => choose({ match })}
      />
      <Select
        aria-label="Status"
        className="archive-select"
        value={view.status ?? ""}
        onValue={pick("status")}
        options={[
          { value: "", label: "Status: any" },
          ...offered,
          ...(isListed ? [] : [{ value: view.status!, label: view.status! }]),
        ]}
      />
      <Select
        aria-label="Page type"
        className="archive-select"
        value={view.type ?? ""}
        onValue={pick("type")}
        options={[
          { value: "", label: "Type: any" },
          ...archive.pageTypes.map((type) => ({ value: type, label: type })),
        ]}
      />
      <Select
        aria-label="Fetched"
        className="archive-select"
        value={view.older ?? ""}
        onValue={pick("older")}
        options={[{ value: "", label: "Fetched: any time" }, ...AGES]}
      />
    </>
  );
}

export const useChoice = (): Choice => {
  const [{ status, older, type, match }] = useView();
  return { status, older, type, match };
};
