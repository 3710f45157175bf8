/**
 * What an agent takes by reference: data blocks, and the pins that fix the versions behind its ranges.
 *
 * @module
 */

// Data blocks
export { validateBlock } from "./validate.ts";
export {
  MODEL_SETTINGS_SCHEMA,
  settingsSchemaIssues,
  tunableKeys,
} from "./settings_schema.ts";
export type {
  TunableEnum,
  TunableKey,
  TunableNumber,
} from "./settings_schema.ts";
export { createBlockRegistry } from "./registry.ts";
export type { BlockReader, BlockRegistry, BlockRequest } from "./registry.ts";

// Pins
export { pinChanges, pinsDigest } from "./pins.ts";
export type { ComparablePins, PinChange } from "./pins.ts";

// Errors
export type {
  BlockUnresolvableError,
  DuplicateBlockError,
  InvalidBlockError,
} from "./errors.ts";
