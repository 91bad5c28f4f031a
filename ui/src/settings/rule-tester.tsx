/** Tests URLs against the rules before anything is crawled: would this one be fetched, and which rule decides? */
import { useQuery } from "@tanstack/react-query";
import { Check, Minus } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/controls/button.tsx";
import { TextArea } from "../components/controls/input.tsx";
import { problemFrom } from "../lib/api.ts";
import { useTestRules } from "../lib/changes.ts";
import type { RulesVerdict } from "../lib/contract.ts";
import { queries } from "../lib/queries.ts";
import { ruleText } from "../lib/words.ts";
import "./rule-tester.css";

/** The server's maximum per request. */
const MOST = 100;

export function RuleTester({ start, settings }: { start: string; settings: Record<string, unknown> }) {
  const [typed, setTyped] = useState("");
  const [askRobots, setAskRobots] = useState(false);
  const test = useTestRules();
  const urls = typed.split(/\s+/).filter(Boolean).slice(0, MOST);
  return (
    <form
      className="stack-tight"
      onSubmit={(event) => {
        event.preventDefault();
        test.mutate({ start, urls, settings, askRobots });
      }}
    >
      <TextArea
        aria-label="URLs to test, one per line"
        placeholder={"/blog/some-post\nhttps://cdn.example.com/app.js"}
        rows={3}
        spellCheck={false}
        className="mono"
        value={typed}
        onValue={setTyped}
      />
      <div className="row-apart">
        <label className="check">
          <input type="checkbox" checked={askRobots} onChange={(event) => setAskRobots(event.target.checked)} />
          Check robots.txt too
        </label>
        <Button type="submit" isBusy={test.isPending} disabled={start.trim() === "" || urls.length === 0}>
          Test
        </Button>
      </div>
      {start.trim() === "" && <p className="muted">Enter the start URL first: the rules depend on it.</p>}
      {test.error !== null && (
        <p className="field-error" role="alert">
          {problemFrom(test.error).detail ?? problemFrom(test.error).title}
        </p>
      )}
      {test.data !== undefined && (
        <ul className="verdicts" aria-live="polite">
          {test.data.rows.map((verdict) => (
            <VerdictRow key={verdict.typed} verdict={verdict} />
          ))}
        </ul>
      )}
    </form>
  );
}

function VerdictRow({ verdict: { typed, url, verdict, meaning, rule } }: { verdict: RulesVerdict }) {
  const settings = useQuery(queries.settings()).data ?? [];
  const isCrawled = verdict === "crawl";
  const Icon = isCrawled ? Check : Minus;
  return (
    <li className={`verdict tone-${isCrawled ? "ok" : "warn"}`}>
      <Icon size={15} aria-hidden />
      <div className="grow">
        <span className="cut mono" title={url ?? typed}>
          {url ?? typed}
        </span>
        <span className="muted">
          {isCrawled ? "Would be crawled." : (meaning ?? "Would not be crawled.")}
          {rule !== null && (
            <>
              {" "}
              Rule: <code>{ruleText(rule, settings)}</code>
            </>
          )}
        </span>
      </div>
    </li>
  );
}
