/** A process that commits to files forever, to be killed: `node kill-child.ts <folder> <first commit>`. */
import { commitWithoutEnd } from "../../../kernel/testing/kill-child.ts";
import { TestLedger } from "./file-harness.ts";

if (import.meta.main) await commitWithoutEnd(new TestLedger(process.argv[2]!, () => {}), Number(process.argv[3]));
