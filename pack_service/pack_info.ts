/**
 * What `/v1/info` answers.
 *
 * @module
 */

import { checkIdOf, type PackIndex, shippedChecks } from "./pack_index.ts";
import { PACK_PROTOCOL_VERSION, type PackInfo } from "./protocol.ts";

/** The info of a pack: every version of its tools, in index order, and the checks that it ships. */
export function packInfo(
  index: PackIndex,
  missingEnv: readonly string[],
): PackInfo {
  return {
    protocol: PACK_PROTOCOL_VERSION,
    packId: index.packId,
    packVersion: index.packVersion,
    artifactVersion: index.artifactVersion,
    tools: index.tools.map(({ id, version }) =>
      version === undefined ? { id } : { id, version }
    ),
    checks: shippedChecks(index).map(checkIdOf),
    missingEnv: [...missingEnv],
  };
}
