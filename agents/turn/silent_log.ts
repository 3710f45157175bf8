/**
 * A logger for turns without one.
 *
 * @module
 */

import type { Logger } from "../../base/log.ts";

/** Writes nothing. */
export const SILENT_LOG: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  trace() {},
  child: () => SILENT_LOG,
  isLevelEnabled: () => false,
};
