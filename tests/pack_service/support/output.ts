/** Waiting for what a service writes. */

import { eventually } from "./eventually.ts";
import type { ServiceProcess } from "./service_process.ts";

/** Waits until the service has written this on standard error, or on standard output when that is named. */
export async function untilText(
  service: ServiceProcess,
  text: string,
  stream: "stderr" | "stdout" = "stderr",
): Promise<void> {
  await eventually(
    () => `${JSON.stringify(text)} in:\n${service[stream]()}`,
    () => service[stream]().includes(text) || undefined,
  );
}
