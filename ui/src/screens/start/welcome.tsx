/** The first time: what to do, in three steps. */
import { Activity, Globe, ListChecks } from "lucide-react";

const STEPS = [
  {
    icon: Globe,
    title: "Type an address",
    text: "Trawl follows links, reads sitemaps and robots.txt, and stays on the site.",
  },
  {
    icon: Activity,
    title: "Watch it live",
    text: "See speed, statuses, what each host is doing and why it waits. Pause whenever you like.",
  },
  {
    icon: ListChecks,
    title: "Ask anything",
    text: "Every URL is kept with its verdict and the rule that decided it. Nothing leaves this machine.",
  },
];

export function Welcome() {
  return (
    <section className="welcome" aria-label="How it works">
      <ol className="cards">
        {STEPS.map(({ icon: Icon, title, text }) => (
          <li key={title} className="welcome-step">
            <Icon size={20} strokeWidth={1.6} aria-hidden />
            <h2>{title}</h2>
            <p className="muted">{text}</p>
          </li>
        ))}
      </ol>
      <p className="muted">
        No site at hand? <code>trawl demo</code> crawls a bundled one without a network.
      </p>
    </section>
  );
}
