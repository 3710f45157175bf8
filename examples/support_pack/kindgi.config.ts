import { defineConfig } from "@kindgi-deno/runtime/define";

export default defineConfig({
  pack: { id: "support", version: "1.0.0" },
  // No other variable reaches the pack's code, the platform's aside.
  env: { optional: ["SUPPORT_LEDGER_DIR"] },
});
