/** What an IP address is: on the public internet, or where links on hostile pages must not lead. */
import { isIPv4, isIPv6 } from "node:net";

/**
 * `metadata`: services of clouds that give passwords to whoever asks. `reserved`: every other address that is not on the
 * public internet, and text that is not an address.
 */
export type AddressClass = "public" | "private" | "loopback" | "link-local" | "metadata" | "reserved";

type Range = readonly [network: string, bits: number, kind: string];

/** RFC 6890 and the IANA IPv4 Special-Purpose Address Registry. */
const IPV4_RANGES: readonly Range[] = [
  ["0.0.0.0", 8, "this network"],
  ["10.0.0.0", 8, "private"],
  ["100.100.100.200", 32, "cloud metadata"], // Alibaba
  ["100.64.0.0", 10, "carrier-grade NAT"],
  ["127.0.0.0", 8, "loopback"],
  ["168.63.129.16", 32, "cloud metadata"], // Azure
  ["169.254.0.23", 32, "cloud metadata"], // Tencent
  ["169.254.42.42", 32, "cloud metadata"], // Scaleway
  ["169.254.169.0", 24, "cloud metadata"], // AWS, Google, Azure, Oracle, OpenStack and most others
  ["169.254.170.0", 24, "cloud metadata"], // AWS containers
  ["169.254.0.0", 16, "link-local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.192", 32, "cloud metadata"], // Oracle
  ["192.0.0.0", 24, "IETF protocol"],
  ["192.0.2.0", 24, "documentation"],
  ["192.88.99.0", 24, "6to4 relay"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "benchmark"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"],
];

/** Ranges outside 2000::/3 have a name here only for the message: everything outside it is refused anyway. */
const IPV6_RANGES: readonly Range[] = [
  ["::", 128, "unspecified"],
  ["::1", 128, "loopback"],
  ["::ffff:0:0", 96, "IPv4-mapped"],
  ["::ffff:0:0:0", 96, "IPv4-translated"],
  ["::", 96, "IPv4-compatible"],
  ["64:ff9b:1::", 48, "local NAT64"],
  ["100::", 64, "discard"],
  ["2001::", 23, "IETF protocol"],
  ["2001:db8::", 32, "documentation"],
  ["3fff::", 20, "documentation"],
  ["5f00::", 16, "segment routing"],
  ["fd00:42::42", 128, "cloud metadata"], // Scaleway
  ["fd00:c1::a9fe:a9fe", 128, "cloud metadata"], // Oracle
  ["fd00:ec2::", 48, "cloud metadata"], // AWS
  ["fd20:ce::254", 128, "cloud metadata"], // Google
  ["fc00::", 7, "unique local"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "site-local"],
  ["ff00::", 8, "multicast"],
];

/** Kinds that are not listed are reserved. */
const CLASSES: Record<string, AddressClass> = {
  global: "public",
  private: "private",
  "carrier-grade NAT": "private",
  "unique local": "private",
  "site-local": "private",
  "local NAT64": "private",
  loopback: "loopback",
  "link-local": "link-local",
  "cloud metadata": "metadata",
};

interface Network {
  bytes: number[];
  bits: number;
  kind: string;
}

const compile = (ranges: readonly Range[], parse: (ip: string) => number[]): Network[] =>
  ranges.map(([network, bits, kind]) => ({ bytes: parse(network), bits, kind }));

const IPV4_NETWORKS = compile(IPV4_RANGES, ipv4Bytes);
const IPV6_NETWORKS = compile(IPV6_RANGES, ipv6Bytes);
const NAT64 = ipv6Bytes("64:ff9b::");
const TEREDO = ipv6Bytes("2001::");

/** True only for an address on the public internet; false for anything that is not an address. */
export function isGlobalAddress(ip: string): boolean {
  return addressKind(ip) === "global";
}

/** An IPv4 address inside an IPv6 one is what counts, if it leads to this machine or to a metadata service. */
export function addressClass(ip: string): AddressClass {
  // Connecting to the unspecified address reaches this machine.
  if (ip === "0.0.0.0" || ip === "::") return "loopback";
  const kind = addressKind(ip);
  const named = CLASSES[kind] ?? CLASSES[/ of a (.+) address$/.exec(kind)?.[1] ?? ""] ?? "reserved";
  if (named === "public" || !isIPv6(ip) || ip.includes("%")) return named;
  const inner = ipv4Kind(ipv6Bytes(ip).slice(12));
  if (inner === "cloud metadata" && IPV4_IN_IPV6.has(kind)) return "metadata";
  return kind.startsWith("IPv4-") && inner === "loopback" ? "loopback" : named;
}

/** Ranges whose last four bytes are an IPv4 address. */
const IPV4_IN_IPV6: ReadonlySet<string> = new Set(["IPv4-mapped", "IPv4-translated", "IPv4-compatible", "local NAT64"]);

/** `global`, or the name of the special range the address is in. */
export function addressKind(ip: string): string {
  if (isIPv4(ip)) return ipv4Kind(ipv4Bytes(ip));
  // An address with a zone (fe80::1%eth0) is valid on one link only.
  if (isIPv6(ip) && !ip.includes("%")) return ipv6Kind(ipv6Bytes(ip));
  return "not an address";
}

function ipv4Kind(bytes: readonly number[]): string {
  return IPV4_NETWORKS.find((network) => within(bytes, network.bytes, network.bits))?.kind ?? "global";
}

function ipv6Kind(bytes: readonly number[]): string {
  // Three ways to write an IPv4 destination in IPv6 that a router may honour: the destination is what counts.
  if (within(bytes, NAT64, 96)) return embedded("NAT64", bytes.slice(12));
  if (bytes[0] === 0x20 && bytes[1] === 0x02) return embedded("6to4", bytes.slice(2, 6));
  if (within(bytes, TEREDO, 32)) {
    // RFC 4380 section 4: the server's address, then the client's with every bit inverted.
    const client = bytes.slice(12).map((byte) => byte ^ 0xff);
    const server = embedded("Teredo", bytes.slice(4, 8));
    return server === "global" ? embedded("Teredo", client) : server;
  }
  const special = IPV6_NETWORKS.find((network) => within(bytes, network.bytes, network.bits));
  if (special !== undefined) return special.kind;
  // RFC 4291 section 2.4: only 2000::/3 is assigned as global unicast.
  return bytes[0]! >> 5 === 1 ? "global" : "reserved";
}

function embedded(carrier: string, ipv4: readonly number[]): string {
  const kind = ipv4Kind(ipv4);
  return kind === "global" ? "global" : `${carrier} of a ${kind} address`;
}

function within(bytes: readonly number[], network: readonly number[], bits: number): boolean {
  const whole = bits >> 3;
  for (let index = 0; index < whole; index++) if (bytes[index] !== network[index]) return false;
  const rest = bits & 7;
  return rest === 0 || bytes[whole]! >> (8 - rest) === network[whole]! >> (8 - rest);
}

function ipv4Bytes(ip: string): number[] {
  return ip.split(".").map(Number);
}

/** Call it only with what `isIPv6` accepts. */
function ipv6Bytes(ip: string): number[] {
  const [head = "", tail] = ip.split("::");
  const front = groupBytes(head);
  if (tail === undefined) return front;
  const back = groupBytes(tail);
  return [...front, ...new Array<number>(16 - front.length - back.length).fill(0), ...back];
}

function groupBytes(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (group.includes(".")) return ipv4Bytes(group);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
