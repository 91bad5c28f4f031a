/** A sentence about the whole screen, above what it is about. */
import { CircleAlert, Info } from "lucide-react";
import type { ReactNode } from "react";
import type { Tone } from "../lib/status.ts";
import "./note.css";

export function Note({ tone = "quiet", children }: { tone?: Tone; children: ReactNode }) {
  const Icon = tone === "warn" || tone === "bad" || tone === "error" ? CircleAlert : Info;
  return (
    <p className={`note tone-${tone}`} role="status">
      <Icon size={16} aria-hidden />
      <span>{children}</span>
    </p>
  );
}
