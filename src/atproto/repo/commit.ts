/** The commit of a repo, versions 2 and 3: who, which revision, which tree, signed by whom. */
import { BYTES, CborProblem, type CborReader, MAP, TEXT, UNSIGNED } from "./cbor-reader.ts";
import { LONGEST_REV } from "./limits.ts";
import { RepoParseError } from "./repo-error.ts";

export interface Commit {
  did: string;
  version: 2 | 3;
  rev: string;
  /** The digest of the tree's root, as an offset. */
  dataDigest: number;
  signature: Uint8Array;
  /** What was signed: the commit without its signature. */
  unsigned: Uint8Array;
}

const PRINTABLE = /^[!-~]*$/;
/** A map of up to 23 pairs has its count in its first byte. */
const MOST_FIELDS = 23;

export function readCommit(reader: CborReader, start: number, end: number): Commit {
  try {
    return read(reader, start, end);
  } catch (problem) {
    if (problem instanceof CborProblem) throw refused(problem.reason);
    throw problem;
  }
}

function read(reader: CborReader, start: number, end: number): Commit {
  reader.enter(start, end);
  let did: string | null = null;
  let rev: string | null = null;
  let version = 0;
  let dataDigest = -1;
  let signature: Uint8Array | null = null;
  let signed: [start: number, end: number] = [end, end];
  const count = reader.expect(MAP, "it");
  if (count > MOST_FIELDS) throw new CborProblem("has too many fields");
  for (let left = count; left > 0; left--) {
    const begin = reader.at;
    switch (text(reader, "a key")) {
      case "did":
        did = text(reader, "did");
        break;
      case "rev":
        rev = text(reader, "rev");
        break;
      case "version":
        version = reader.expect(UNSIGNED, "version");
        break;
      case "data":
        dataDigest = reader.link("data");
        break;
      case "sig": {
        const length = reader.expect(BYTES, "sig");
        signature = reader.bytes.slice(reader.at, reader.at + length);
        reader.at += length;
        signed = [begin, reader.at];
        break;
      }
      default:
        reader.skip();
    }
  }
  reader.expectEnd();
  if (version !== 2 && version !== 3) throw refused(`its version is ${version}, not 2 or 3`);
  if (did === null || dataDigest < 0 || signature === null)
    throw refused("it lacks its DID, its tree or its signature");
  if (rev === null && version === 3) throw refused("it lacks its revision");
  if ((rev?.length ?? 0) > LONGEST_REV || !PRINTABLE.test(rev ?? "")) throw refused("its revision is none");
  // Fields are sorted by name and the count is in the first byte: taking one out needs no encoder.
  const unsigned = Buffer.concat([reader.bytes.subarray(start, signed[0]), reader.bytes.subarray(signed[1], end)]);
  unsigned[0] = unsigned[0]! - 1;
  return { did, version, rev: rev ?? "", dataDigest, signature, unsigned };
}

function text(reader: CborReader, what: string): string {
  const length = reader.expect(TEXT, what);
  reader.at += length;
  return reader.latin1(reader.at - length, reader.at);
}

function refused(reason: string): RepoParseError {
  return new RepoParseError("parse_error", `The repo's commit cannot be read: ${reason}.`);
}
