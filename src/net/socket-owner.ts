/** Which user of this machine a TCP socket belongs to, where the system says: Linux lists all sockets with their owners. */
import { readFileSync } from "node:fs";
import { isIPv6 } from "node:net";

export interface SocketEnd {
  address: string;
  port: number;
}

/** One socket as the list has it: the end that is its own, the other one, and the number of its user. */
interface Listed {
  local: string;
  remote: string;
  isListening: boolean;
  user: number;
}

const LISTS = ["/proc/net/tcp", "/proc/net/tcp6"];
const LISTENING = "0A";
const ANYWHERE = ["0.0.0.0", "[::]"];

/** The user at `end` of a connection, or null when the system does not say: it is not Linux, or that end is on another machine. */
export function connectionUser(end: SocketEnd, other: SocketEnd, lists = readLists()): number | null {
  const [local, remote] = [endText(end), endText(other)];
  return lists.find((one) => one.local === local && one.remote === remote)?.user ?? null;
}

/** The user whose program listens at this address of this machine; null when the system does not say. */
export function listeningUser(end: SocketEnd, lists = readLists()): number | null {
  const places = [endText(end), ...ANYWHERE.map((address) => `${address}:${end.port}`)];
  const listening = lists.filter(({ isListening }) => isListening);
  for (const place of places) {
    const found = listening.find(({ local }) => local === place);
    if (found !== undefined) return found.user;
  }
  return null;
}

export function readLists(): Listed[] {
  return LISTS.flatMap((path) => {
    try {
      return parseList(readFileSync(path, "latin1"));
    } catch {
      return [];
    }
  });
}

export function parseList(text: string): Listed[] {
  return text
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local, remote, state, , , , user] = line.trim().split(/\s+/);
      if (user === undefined) return [];
      return [
        { local: listedEnd(local!), remote: listedEnd(remote!), isListening: state === LISTENING, user: Number(user) },
      ];
    });
}

/** `0100007F:1F90`: the address as 32-bit words of the machine's byte order, the port as it is. */
function listedEnd(hex: string): string {
  const [address = "", port = ""] = hex.split(":");
  const bytes = Buffer.from(address, "hex").swap32();
  if (bytes.length === 4) return `${bytes.join(".")}:${Number.parseInt(port, 16)}`;
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16));
  return endText({ address: groups.join(":"), port: Number.parseInt(port, 16) });
}

/** The same text for every spelling; IPv4 inside IPv6 is IPv4, because one end may use it that way and the other not. */
function endText({ address, port }: SocketEnd): string {
  if (!isIPv6(address)) return `${address}:${port}`;
  const plain = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname;
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(plain);
  if (mapped === null) return `${plain}:${port}`;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}:${port}`;
}
