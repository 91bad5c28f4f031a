/** A box for a part of a server's address. */
import { SearchBox } from "../../components/controls/search-box.tsx";

export const HostSearch = ({ text, onSearch }: { text: string; onSearch: (text: string | undefined) => void }) => (
  <SearchBox label="Part of a server's address" text={text} onSearch={onSearch} />
);
