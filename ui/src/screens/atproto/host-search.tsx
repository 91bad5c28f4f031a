/** A box for a part of a server's address; it searches once typing has paused. */
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { TextInput } from "../../components/controls/input.tsx";
import { useRested } from "../../lib/timing.ts";

export function HostSearch({ text, onSearch }: { text: string; onSearch: (text: string | undefined) => void }) {
  const [typed, setTyped] = useState(text);
  const rested = useRested(typed, 300);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing that has paused sends a request.
  useEffect(() => {
    if (rested !== text) onSearch(rested === "" ? undefined : rested);
  }, [rested]);
  // Chosen elsewhere, such as in the list of servers.
  useEffect(() => setTyped(text), [text]);
  return (
    <div className="atproto-search">
      <Search size={14} aria-hidden />
      <TextInput
        type="search"
        data-search
        aria-label="Part of a server's address"
        placeholder="Part of a server's address"
        value={typed}
        onValue={setTyped}
      />
    </div>
  );
}
