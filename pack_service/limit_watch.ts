/**
 * What a limited executor uses, held against its limits. The pack code in it may try to hide what it uses; so what the
 * process says of itself counts only as far as its guard's reports bear it out (`spec/executors.md`, Memory and CPU).
 *
 * @module
 */

import type { BegunCall } from "./executor.ts";
import type { GuardReport } from "./executor_boot.ts";
import type { LimitsDeclaration } from "./sandbox.ts";

const MIB = 1024 * 1024;
/** How much memory imports may take at most without counting towards the limit. */
const IMPORTS_BYTES = 512 * MIB;
/** How much CPU time a process may have used since its guard's last report, in ms. */
const UNREPORTED_CPU_MS = 1_000;
/** How often the reports are looked after, in ms; counted in looks, so that a suspended machine isn't a silent guard. */
const LOOK_INTERVAL_MS = 1_000;
/** After how many looks without a report the guard counts as silenced. */
const SILENT_LOOKS = 5;

/** Watches one process. */
export class LimitWatch {
  readonly #limits: LimitsDeclaration;
  readonly #silenced: () => void;
  #first: GuardReport | undefined;
  #last: GuardReport | undefined;
  #baseBytes: number | undefined;
  #looks: ReturnType<typeof setInterval> | undefined;
  #missed = 0;

  /** `silenced` is told when the guard has stopped reporting: nothing would hold the limits any more. */
  constructor(limits: LimitsDeclaration, silenced: () => void) {
    this.#limits = limits;
    this.#silenced = silenced;
  }

  /** How much CPU time a call may use, in ms. */
  get cpuMs(): number | undefined {
    return this.#limits.cpuMs;
  }

  /** Takes the guard's report; answers whether the process holds more memory than it may. */
  reported(report: GuardReport): boolean {
    this.#first ??= report;
    this.#last = report;
    this.#missed = 0;
    this.#looks ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS);
    const { memMB } = this.#limits;
    return memMB !== undefined && this.#baseBytes !== undefined &&
      report.rssBytes - this.#baseBytes > memMB * MIB;
  }

  /** From here on memory counts; `rssBytes` is what the process says that it holds with everything imported. */
  booted(rssBytes: number): void {
    const most = (this.#first?.rssBytes ?? 0) + IMPORTS_BYTES;
    this.#baseBytes = Math.min(rssBytes, most);
  }

  /** A call with the CPU time that its process had used when it began: what it says, within reason. */
  begun(call: BegunCall): BegunCall {
    const reported = this.#last?.cpuMs ?? 0;
    const cpuMs = Math.min(
      call.cpuMs ?? reported,
      reported + UNREPORTED_CPU_MS,
    );
    return { ...call, cpuMs };
  }

  /** Ends the watch. */
  stop(): void {
    clearInterval(this.#looks);
    this.#looks = undefined;
  }

  #look(): void {
    if (++this.#missed < SILENT_LOOKS) return;
    this.stop();
    this.#silenced();
  }
}
