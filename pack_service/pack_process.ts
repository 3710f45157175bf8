/**
 * What it takes to start a process that loads a pack: how its imports resolve, what it may see and reach, our own code as
 * bundles. A door of its own: whoever enters by it loads neither the service nor the schema compiler.
 *
 * @module
 */

// What it may reach
export { type Grant, type GrantKind, parseGrant } from "./grants.ts";
export { findLinks, type Link, outwardLinks } from "./outward_links.ts";

// The pack's environment
export * from "./pack_env.ts";
export { type EnvironmentDoor, overlayEnvironment } from "./env_overlay.ts";

// The pack's own dependencies
export {
  cachePackDependencies,
  isNotCached,
  type PackImports,
  type PackImportsOptions,
  resolvePackImports,
} from "./pack_imports.ts";
export { importTogether } from "./module_import.ts";

// Our own code, to run on them
export { bundleEntry, cacheFolder, denoToolEnvironment } from "./bundle.ts";
