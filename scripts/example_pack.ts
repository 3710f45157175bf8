/**
 * The pack that `deno task demo` and `deno task serve` show.
 *
 * @module
 */
import { fileURLToPath } from "node:url";

/** Path of the example pack's index. */
export const EXAMPLE_INDEX: string = fileURLToPath(
  new URL("../examples/support_pack/index.json", import.meta.url),
);
