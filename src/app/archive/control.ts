/**
 * Controlling an archive that may be running: pause and stop files, signals, the reasons for a pause, and the reasons
 * why pages are not archived.
 */

export type { Reloaded } from "../../archive/control/reload.ts";
export type { PauseReason } from "../../archive/control/watch.ts";
export {
  clearStop,
  listenToSignals,
  PAUSE_FILE,
  readFlags,
  requestPause,
  requestStop,
  withdrawPause,
} from "../../archive/control/watch.ts";
export { reasonMeaning } from "../../archive/policy/policy.ts";
