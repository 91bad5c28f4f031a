/** Says once, quietly, that a newer Trawl is out. */
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../lib/queries.ts";

export function UpdateNote() {
  const update = useQuery(queries.update()).data;
  if (update?.isNewer !== true) return null;
  return (
    <p className="update-note">
      Trawl {update.latest} is out; this is {update.current}. Update with <code>npm install -g trawl</code>.
    </p>
  );
}
