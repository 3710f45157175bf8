/**
 * The indexer: a pack becomes a deterministic `index.json`.
 *
 * @module
 */

export type { Err, Ok, Result } from "../base/result.ts";

// Indexing a pack
export { type IndexReport, runIndexer, type RunIndexerOptions } from "./run.ts";
export type {
  FileError,
  FileErrorCode,
  IndexerError,
  IndexerErrorCode,
  IndexerWarning,
  IndexerWarningCode,
  RunErrorCode,
  RunFailure,
} from "./errors.ts";
export {
  type BundleMap,
  type BundleMapError,
  readBundleMap,
} from "../base/bundle_map.ts";
export { RESERVED_CHECK_IDS } from "./check_ids.ts";

// The config
export {
  type DiscoveryPatterns,
  type LoadedConfig,
  loadKindgiConfig,
  type PackLanguage,
  packLanguage,
} from "./config.ts";
export {
  type ConfigFormat,
  type ConfigLocation,
  findKindgiConfig,
  KINDGI_CONFIG_FILENAMES,
} from "./config_lookup.ts";

// Finding files
export {
  DEFAULT_DISCOVERY,
  DEFAULT_JAVA_DISCOVERY,
  DEFAULT_PYTHON_DISCOVERY,
  DEFAULT_SCALA_DISCOVERY,
  type ResolvedDiscovery,
  resolveDiscovery,
} from "./discovery.ts";
export {
  createGlobMatcher,
  discoveryRoots,
  globStaticPrefix,
  globToRegex,
  TEST_FILE_REGEX,
} from "./glob.ts";

// Schemas
export { toJSONSchemaSync, type ZodConversionError } from "./zod_conversion.ts";
export type { ZodConverter } from "./zod_library.ts";
export type { StandardResult, ZodSchema } from "../base/zod_schema.ts";

// The index itself
export { INDEX_SCHEMA } from "./index_schema.ts";
export type { PrimitiveKind } from "./kinds.ts";
export type { ChangeDirection } from "./schema_difference.ts";
export {
  describeDifference,
  type IndexDifference,
  indexDifferences,
} from "./index_difference.ts";
