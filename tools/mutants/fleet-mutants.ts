/** Defects in what keeps the machines of a fleet apart, and in what they commit. */
import type { Mutant } from "./list.ts";

const COMMITS = ["src/fleet/commit-group.test.ts"];
const LEASES = ["src/fleet/membership.test.ts"];

export const FLEET_MUTANTS: readonly Mutant[] = [
  {
    name: "fleet: a worker that was replaced still writes",
    find: "WHERE p.part = x.part AND p.token = x.token AND p.commits = x.commits RETURNING",
    replace: "WHERE p.part = x.part AND p.commits = x.commits RETURNING",
    tests: COMMITS,
  },
  {
    name: "fleet: a partition is taken from whoever took it meanwhile",
    find: "ON p.part = x.part AND p.token = x.token\n",
    replace: "ON p.part = x.part\n",
    tests: ["src/fleet/lease.test.ts"],
  },
  {
    name: "fleet: a page is settled before its record is in ClickHouse",
    find: "      await this.#insert(shares);\n",
    replace: "",
    tests: COMMITS,
  },
  {
    name: "fleet: a worker that froze in mid-transaction keeps its partitions",
    find: "const FROZEN_SECONDS = 10;",
    replace: "const FROZEN_SECONDS = 0;",
    tests: COMMITS,
  },
  {
    name: "fleet: a commit that was carried out is carried out again",
    find: "WHERE p.part = x.part AND p.token = x.token AND p.commits = x.commits RETURNING",
    replace: "WHERE p.part = x.part AND p.token = x.token RETURNING",
    tests: COMMITS,
  },
  {
    name: "fleet: what was read of the inbox stays",
    find: "if (consumed.length === 0) return;",
    replace: "if (consumed.length >= 0) return;",
    tests: COMMITS,
  },
  {
    name: "fleet: a page that is settled is settled once more",
    find: "u.id = x.id AND u.state =",
    replace: "u.id = x.id AND 0 =",
    tests: ["src/fleet/fleet-ledger.test.ts"],
  },
  {
    name: "fleet: whoever takes a partition over believes that it is empty",
    find: "lease?.commits === 0",
    replace: "lease !== null",
    tests: ["src/fleet/fleet-ledger.test.ts"],
  },
  {
    name: "fleet: a full disk loses what was to be written",
    find: "return /^(?:08|40|53|57P)/.test(code)",
    replace: "return /^(?:08|40|57P)/.test(code)",
    tests: COMMITS,
  },
  {
    name: "fleet: a lease does not run out by the wall clock",
    find: "this.#clocks.monotonic() - monotonic < sendMs && this.#clocks.wall() - wall < sendMs",
    replace: "this.#clocks.monotonic() - monotonic < sendMs && wall !== 0",
    tests: LEASES,
  },
  {
    name: "fleet: a silent worker counts as dead while it may still send",
    find: "sendMs: 10_000, deadMs: 15_000",
    replace: "sendMs: 10_000, deadMs: 8_000",
    tests: LEASES,
  },
  {
    name: "fleet: partitions that a worker dropped stay its own for ever",
    find: "part.owner === this.id && !held.has(part.part) && !taken.has(part)",
    replace: "part.owner === null",
    tests: LEASES,
  },
  {
    name: "fleet: after a promotion partitions are taken at once",
    find: "if (isForgetful) this.#takesFrom",
    replace: 'if (isForgetful && this.id === "") this.#takesFrom',
    tests: LEASES,
  },
  {
    name: "net: a request that is sent again does not count in the host's interval",
    find: "      hasLeft = false;\n      this.#wait(host);",
    replace: "",
    tests: ["src/net/leaving.test.ts"],
  },
  {
    name: "net: a request that is sent again does not wait for its host's pace",
    find: "      await this.#beforeResend(host);\n",
    replace: "",
    tests: ["src/net/leaving.test.ts"],
  },
];
