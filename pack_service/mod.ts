/**
 * The pack service: runs a pack's tools and checks over pack protocol v2, in a program of its own or in yours.
 *
 * @module
 */

// The service
export {
  createPackService,
  type CreatePackServiceOptions,
} from "./create_service.ts";
export { startPackService } from "./start_service.ts";
export type {
  PackServiceLogs,
  StartedPackService,
  StartOutcome,
  StartPackServiceConfig,
  StartProblems,
} from "./serve_pack.ts";
export type { NodeRequestListener, PackService } from "./service_types.ts";
export type { HttpListener } from "../base/platform.ts";
export { DEFAULT_LIMITS } from "./limits.ts";

// Its settings
export {
  PACK_TOKEN_VAR,
  type PackServiceConfig,
  type PackServiceConfigError,
  type PackServicePlace,
  type PermissionSetting,
  readPackServiceConfig,
  type SandboxSetting,
} from "./settings.ts";

// What it tells
export type * from "./events.ts";
export { createPackRecords, type PackRecords } from "./records.ts";
export type { CallCorrelation, PackIdentity, ToolLine } from "./records.ts";
export {
  createRecordLog,
  DEFAULT_LOG_SETTINGS,
  type LogFormat,
  type Logger,
  type LogLevel,
  type LogRecord,
  type LogSettings,
  parseLogSettings,
  type RecordLog,
  type RecordLogOptions,
} from "../base/log.ts";

// The index it serves
export {
  type BundleMap,
  type BundleMapError,
  readBundleMap,
} from "../base/bundle_map.ts";
export {
  type IndexedGuardrail,
  type IndexedTool,
  type PackIndex,
  readPackIndex,
} from "./pack_index.ts";

// One call in process
export * from "./handler_runner.ts";

// The supervisor
export {
  type BootProblems,
  type CallerSignal,
  createPackServiceSupervisor,
  type PackServiceRelay,
  type PackServiceSupervisor,
  type PackServiceSupervisorOptions,
  type RelayOutcome,
  type RelayRequest,
  type ServiceEvent,
  serviceEvent,
  type SupervisorEvent,
  type SupervisorFront,
} from "./supervisor/supervisor.ts";

// For other processes that load a pack
export * from "./pack_process.ts";

// The protocol
export * from "./protocol.ts";
