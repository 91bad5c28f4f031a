/** The end of a list that comes in parts: how much of it is shown, and the way to more. */
import { formatNumber } from "../lib/format.ts";
import { Button } from "./button.tsx";
import "./show-more.css";

export interface ShowMoreProps {
  shown: number;
  total: number;
  /** What is counted, in the plural. */
  of: string;
  hasMore: boolean;
  isBusy: boolean;
  onMore: () => void;
}

export function ShowMore({ shown, total, of, hasMore, isBusy, onMore }: ShowMoreProps) {
  if (!hasMore) return null;
  return (
    <div className="show-more">
      <span className="muted">
        {formatNumber(shown)} of {formatNumber(total)} {of}
      </span>
      <Button isBusy={isBusy} onClick={onMore}>
        Show more
      </Button>
    </div>
  );
}
