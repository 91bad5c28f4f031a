/** Rules that send a connection elsewhere while name, certificate and Host header stay, written as curl's `--connect-to`. */
import { TrawlError } from "../errors.ts";

export interface ConnectTo {
  /** Null matches any host. Lower case, IPv6 without brackets. */
  host: string | null;
  /** Null matches any port. */
  port: number | null;
  /** Null keeps the host. */
  address: string | null;
  /** Null keeps the port. */
  toPort: number | null;
}

const HOST = String.raw`(\[[0-9A-Fa-f:.]+\]|[^:[\]/\s]*)`;
const RULE = new RegExp(`^${HOST}:(\\d{0,5}):${HOST}:(\\d{0,5})$`);

/** Parses `HOST:PORT:ADDR:PORT`; any part may be empty, IPv6 goes in brackets. */
export function parseConnectTo(text: string): ConnectTo {
  const match = RULE.exec(text);
  const port = readPort(match?.[2]);
  const toPort = readPort(match?.[4]);
  if (match === null || port === "bad" || toPort === "bad") {
    throw new TrawlError("BAD_USAGE", `"${text}" is not HOST:PORT:ADDR:PORT, such as example.com:443:127.0.0.1:8443.`);
  }
  return { host: readHost(match[1]), port, address: readHost(match[3]), toPort };
}

/** The first rule for this host and port, as curl chooses. */
export function findConnectTo(rules: readonly ConnectTo[], host: string, port: number): ConnectTo | null {
  const wanted = host.toLowerCase();
  return (
    rules.find((rule) => (rule.host === null || rule.host === wanted) && (rule.port === null || rule.port === port)) ??
    null
  );
}

function readHost(text = ""): string | null {
  if (text === "") return null;
  return (text.startsWith("[") ? text.slice(1, -1) : text).toLowerCase();
}

function readPort(text = ""): number | null | "bad" {
  if (text === "") return null;
  const port = Number(text);
  return port >= 1 && port <= 65535 ? port : "bad";
}
