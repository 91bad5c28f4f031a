/** What the policy says of a canonical URL, by its text alone: host, subdomain, deny and allow patterns, in that order. */
import type { Verdict } from "../../kernel/verdict.ts";
import { type SafeRegex, safeRegex } from "../../web/regex.ts";
import { hostOf } from "../../web/url.ts";
import type { ArchiveSettings } from "../config/parse-archive-config.ts";
import type { Reason } from "./archive-reasons.ts";

interface Pattern {
  written: string;
  regex: SafeRegex;
}

export interface Policy {
  /** What stands against the URL; null when nothing does. */
  judge(url: string): Verdict | null;
}

export const skip = (reason: Reason, rule: string): Verdict => ({ action: "skip", reason, rule });

const compile = (patterns: readonly string[]): Pattern[] =>
  patterns.map((written) => ({ written, regex: safeRegex(written, "") }));

export function createPolicy(settings: Pick<ArchiveSettings, "hosts" | "deniedSubdomains" | "allow" | "deny">): Policy {
  const hosts = new Set(settings.hosts);
  const denied = settings.deniedSubdomains;
  const deny = compile(settings.deny);
  const allow = compile(settings.allow);
  return {
    judge(url) {
      const host = hostOf(url);
      // Before the allowed hosts, or a denied subdomain would never be named as what it is.
      const subdomain = denied.find((name) => host === name || host.endsWith(`.${name}`));
      if (subdomain !== undefined) return skip("subdomain_denied", `scope.denied_subdomains: ${subdomain}`);
      if (!hosts.has(host)) return skip("host_not_allowed", `scope.allowed_hosts: ${settings.hosts.join(", ")}`);
      const against = deny.find(({ regex }) => regex.test(url));
      if (against !== undefined) return skip("denied_pattern", `scope.deny_patterns: ${against.written}`);
      if (!allow.some(({ regex }) => regex.test(url))) return skip("not_in_allowlist", "scope.allow_patterns");
      return null;
    },
  };
}
