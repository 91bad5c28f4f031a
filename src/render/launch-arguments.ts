/** The command line of the browser: no dialogs, no state, no traffic of its own. */
import { createHash, X509Certificate } from "node:crypto";
import { TrawlError } from "../errors.ts";
import type { ConnectTo } from "../net/connection/route.ts";
import { RENDER_DEFAULTS, type RendererOptions } from "./contract.ts";

const FEATURES_OFF = [
  // All frames of a page in one process: one protocol session sees all requests, and memory is a third.
  "IsolateOrigins",
  "site-per-process",
  "IsolateSandboxedIframes",
  // Would keep documents of earlier pages alive, or load later ones past the gate.
  "BackForwardCache",
  "Prerender2",
  // Would turn the http URL that was fetched into an https one that was not.
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  // Would block resources of a site on a private address; `connect` decides what may be reached.
  "LocalNetworkAccessChecks",
  // Background traffic or work of the browser.
  "AcceptCHFrame",
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "MediaRouter",
  "OptimizationHints",
  "Translate",
];

const FLAGS = [
  "--headless",
  "--remote-debugging-pipe",
  `--disable-features=${FEATURES_OFF.join(",")}`,
  "--disable-site-isolation-trials",
  "--block-new-web-contents",
  "--disable-background-networking",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-crash-reporter",
  "--disable-default-apps",
  // /dev/shm is 64 MB in a container, and Chromium crashes when it is full.
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-gpu",
  "--disable-hang-monitor",
  "--disable-infobars",
  "--disable-prompt-on-repost",
  "--disable-quic",
  "--disable-renderer-backgrounding",
  "--disable-search-engine-choice-screen",
  "--disable-sync",
  // WebRTC would reach hosts over UDP, past proxy and guard.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--hide-scrollbars",
  "--metrics-recording-only",
  "--mute-audio",
  "--no-default-browser-check",
  "--no-first-run",
  "--no-pings",
  "--password-store=basic",
  "--use-mock-keychain",
];

export interface LaunchPlace {
  userDataDir: string;
  /** Chromium's sandbox does not run as root. */
  root: boolean;
  /** `http://host:port`, without credentials. */
  proxyServer: string | null;
}

export function launchArguments(options: RendererOptions, place: LaunchPlace): string[] {
  const { width, height } = options.viewport ?? RENDER_DEFAULTS.viewport;
  const connectTo = options.connect ? [] : (options.connectTo ?? []);
  return [
    ...FLAGS,
    `--user-data-dir=${place.userDataDir}`,
    `--user-agent=${options.userAgent}`,
    `--window-size=${width},${height}`,
    ...(place.root ? ["--no-sandbox"] : []),
    ...(options.insecure ? ["--ignore-certificate-errors"] : []),
    ...(options.ca ? [`--ignore-certificate-errors-spki-list=${publicKeyHashes(options.ca).join(",")}`] : []),
    // Loopback would otherwise go past the proxy.
    ...(place.proxyServer ? [`--proxy-server=${place.proxyServer}`, "--proxy-bypass-list=<-loopback>"] : []),
    ...(connectTo.length > 0 ? [`--host-resolver-rules=${connectTo.map(resolverRule).join(", ")}`] : []),
    "about:blank",
  ];
}

/** curl's rule in Chromium's syntax; both use the first rule that matches. */
export function resolverRule(rule: ConnectTo): string {
  const target = rule.address ?? rule.host;
  if (target === null) {
    throw new TrawlError("BAD_CONFIG", "A browser cannot send every host to another port: give a host or an address.");
  }
  return `MAP ${hostAndPort(rule.host ?? "*", rule.port)} ${hostAndPort(target, rule.toPort)}`;
}

function hostAndPort(host: string, port: number | null): string {
  const written = host.includes(":") ? `[${host}]` : host;
  return port === null ? written : `${written}:${port}`;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Chromium does not accept a CA file, only hashes of public keys that it trusts in a server's chain. */
function publicKeyHashes(pem: string): string[] {
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw new TrawlError("BAD_CONFIG", "The CA file contains no PEM certificate.");
  return certificates.map((certificate) => {
    const key = new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" });
    return createHash("sha256").update(key).digest("base64");
  });
}
