/** Steering an archive that may be running: pause and stop files, signals, and why it pauses. */

export type { PauseReason } from "../../archive/control/pauses.ts";
export type { Reloaded } from "../../archive/control/reload.ts";
export {
  clearStop,
  listenToSignals,
  PAUSE_FILE,
  readFlags,
  requestPause,
  requestStop,
  withdrawPause,
} from "../../archive/control/watch.ts";
