/** Every parser that reads what somebody else wrote. A new one is one entry in one of these tables. */
import type { Target } from "../target.ts";
import { FOLLOW } from "./follow.ts";
import { NET } from "./net.ts";
import { STORED } from "./stored.ts";
import { WEB } from "./web.ts";

export const TARGETS: readonly Target[] = [...WEB, ...NET, ...STORED, ...FOLLOW];
