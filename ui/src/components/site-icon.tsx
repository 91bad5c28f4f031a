/** A project's icon: the site's own as our server keeps it, or the first letter of its domain. */
import { useState } from "react";
import "./site-icon.css";

export function SiteIcon({ domain, path, size = 20 }: { domain: string; path: string | null; size?: number }) {
  const [isBroken, setBroken] = useState(false);
  if (path === null || isBroken) {
    return (
      <span className="site-icon site-letter" style={{ width: size, height: size, fontSize: size * 0.55 }} aria-hidden>
        {domain
          .replace(/^www\./, "")
          .charAt(0)
          .toUpperCase()}
      </span>
    );
  }
  return <img className="site-icon" src={path} alt="" width={size} height={size} onError={() => setBroken(true)} />;
}
