/**
 * What happens in a pack service that others may want to know (`spec/handler_runtime.md` 3.6, 5 and
 * `spec/executors.md`).
 *
 * @module
 */
import type { PackErrorCode } from "./protocol_messages.ts";

/** What a call was for. */
export type CallTarget = "tool" | "check";

/** How a call ended: `ok`, or the code of the error that was answered. */
export type CallOutcome = "ok" | PackErrorCode;

/** A call was answered, or its caller went away. */
export interface CallEvent {
  /** Marks the event. */
  readonly kind: "call";
  /** What was called. */
  readonly target: CallTarget;
  /** The tool's or check's id. */
  readonly id: string;
  /** Whole milliseconds since the call was admitted. */
  readonly durationMs: number;
  /** How it ended. */
  readonly outcome: CallOutcome;
}

/** Pack code settled after its call had been answered. */
export interface HandlerFinishedLateEvent {
  /** Marks the event. */
  readonly kind: "handler-finished-late";
  /** What was called. */
  readonly target: CallTarget;
  /** The tool's or check's id. */
  readonly id: string;
  /** Whole milliseconds since the call was dispatched. */
  readonly afterMs: number;
}

/** Required environment variables are unset or empty; once, when the service is made. */
export interface MissingEnvEvent {
  /** Marks the event. */
  readonly kind: "missing-env";
  /** `strict`: calls are refused; `warn`: served anyway. */
  readonly check: "strict" | "warn";
  /** The variables, never a value. */
  readonly names: readonly string[];
}

/** What every service reports, also one inside another program. */
export type PackServiceEvent =
  | CallEvent
  | HandlerFinishedLateEvent
  | MissingEnvEvent;

/** The service takes calls. */
export interface ListeningEvent {
  /** Marks the event. */
  readonly kind: "listening";
  /** The bound port. */
  readonly port: number;
  /** The pack's id. */
  readonly packId: string;
  /** The version of the build. */
  readonly artifactVersion: string;
  /** The executors and what each may do, as Deno's permission flags. */
  readonly executors?: readonly ExecutorPermissions[];
}

/** What one executor may do. */
export interface ExecutorPermissions {
  /** The executor's name: `shared`, or the tool or check that it is for. */
  readonly executor: string;
  /** Deno's permission flags. */
  readonly permissions: readonly string[];
}

/** The service could not start. */
export interface BootFailedEvent {
  /** Marks the event. */
  readonly kind: "boot-failed";
  /** Everything that is in the way. */
  readonly problems: readonly string[];
}

/** The arguments or the environment make no sense. */
export interface ConfigInvalidEvent {
  /** Marks the event. */
  readonly kind: "config-invalid";
  /** Everything that is wrong with them. */
  readonly problems: readonly string[];
}

/** The service refuses new calls and lets running ones finish. */
export interface DrainingEvent {
  /** Marks the event. */
  readonly kind: "draining";
}

/** The service has ended. */
export interface StoppedEvent {
  /** Marks the event. */
  readonly kind: "stopped";
}

/** Variables that the pack doesn't declare were kept from its code. */
export interface EnvDroppedEvent {
  /** Marks the event. */
  readonly kind: "env-dropped";
  /** The variables, sorted, never a value. */
  readonly names: readonly string[];
}

/** Why an executor is gone. */
export type ExecutorLostReason =
  | "killed"
  | "out-of-memory"
  | "exited"
  | "crashed"
  | "protocol";

/** An executor ended unasked; it is replaced. */
export interface ExecutorLostEvent {
  /** Marks the event. */
  readonly kind: "executor-lost";
  /** The executor's name. */
  readonly executor: string;
  /** Why it is gone. */
  readonly reason: ExecutorLostReason;
  /** How many calls had begun on it. */
  readonly calls: number;
  /** Its exit code, when it had one. */
  readonly exitCode?: number;
  /** The signal that ended it, when one did. */
  readonly signal?: string;
}

/** An executor doesn't answer, and calls wait for it. */
export interface ExecutorBlockedEvent {
  /** Marks the event. */
  readonly kind: "executor-blocked";
  /** The executor's name. */
  readonly executor: string;
  /** Milliseconds since it was last heard of. */
  readonly silentMs: number;
  /** How many calls wait. */
  readonly waiting: number;
}

/** Pack code failed outside of any call. */
export interface PackUnhandledEvent {
  /** Marks the event. */
  readonly kind: "pack-unhandled";
  /** How it surfaced. */
  readonly origin: "unhandledrejection" | "error";
  /** What was thrown: `{ name, message, stack }` of an error, else the value as JSON can write it. */
  readonly cause: unknown;
  /** The executor's name. */
  readonly executor?: string;
}

/** The service's counters since it started. */
export interface StatsEvent {
  /** Marks the event. */
  readonly kind: "stats";
  /** Answered calls by outcome. */
  readonly calls: Readonly<Partial<Record<CallOutcome, number>>>;
  /** Calls under way. */
  readonly inFlight: number;
  /** Executors that ended unasked. */
  readonly executorsLost: number;
}

/** The operator turned sandboxes off, and the pack declares some; once, at boot. */
export interface SandboxOffEvent {
  /** Marks the event. */
  readonly kind: "sandbox-off";
  /** The tools and guardrails that declare one. */
  readonly names: readonly string[];
}

/** Limits were declared where they aren't enforced; once, at boot. */
export interface LimitsIgnoredEvent {
  /** Marks the event. */
  readonly kind: "limits-ignored";
  /** The tools and guardrails that declare them. */
  readonly names: readonly string[];
}

/** Everything that the service process reports, told apart by `kind`. */
export type PackEvent =
  | PackServiceEvent
  | ListeningEvent
  | BootFailedEvent
  | ConfigInvalidEvent
  | DrainingEvent
  | StoppedEvent
  | EnvDroppedEvent
  | ExecutorLostEvent
  | ExecutorBlockedEvent
  | PackUnhandledEvent
  | StatsEvent
  | SandboxOffEvent
  | LimitsIgnoredEvent;
