/**
 * What a request's head says.
 *
 * @module
 */

/** What a service has at a path. */
export type Route = "invoke" | "info" | "healthz" | "readyz";

const ROUTES: ReadonlyMap<string, Route> = new Map([
  ["/v1/invoke", "invoke"],
  ["/v1/info", "info"],
  ["/healthz", "healthz"],
  ["/readyz", "readyz"],
]);

/** Compares two texts in a time that depends on their length alone. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) {
    difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  }
  return difference === 0;
}

/** The path of a URL, without its query; the origin is whatever the caller called us. */
export function pathOf(url: string): string {
  const from = url.indexOf("/", url.indexOf("//") + 2);
  if (from === -1) return "/";
  const query = url.indexOf("?", from);
  return query === -1 ? url.slice(from) : url.slice(from, query);
}

/** The deadline that a header names: a positive integer counts, anything else doesn't (`spec/handler_runtime.md` 3.4). */
export function timeoutOf(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const ms = Number(header);
  return Number.isInteger(ms) && ms > 0 ? ms : undefined;
}

/** Whether a request's method is the one that a route takes; HEAD goes wherever GET does. */
export function isMethod(asked: string, taken: "GET" | "POST"): boolean {
  return asked === taken || asked === "HEAD" && taken === "GET";
}

/** The route of a request's URL, its query aside; `undefined` when there is nothing at its path. */
export function routeOf(url: string): Route | undefined {
  return ROUTES.get(pathOf(url));
}
