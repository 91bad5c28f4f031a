/** How much of a known whole is done; without a whole, that something goes on. */
import "./progress-bar.css";

export function ProgressBar({ value, max, label }: { value: number; max: number; label: string }) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      tabIndex={-1}
    >
      <span style={{ width: `${share * 100}%` }} />
    </div>
  );
}
