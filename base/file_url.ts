/**
 * File paths as `file:` URLs and back, for absolute POSIX paths: the systems that are supported have no others.
 *
 * Node's `node:url` does the same, but takes a third of a small process's start to load on Deno.
 *
 * @module
 */

/** The `file:` URL of an absolute path; every character of a name survives, `#`, `?` and `%` among them. */
export function pathToFileUrl(path: string): URL {
  return new URL(
    `file://${path.split("/").map(encodeURIComponent).join("/")}`,
  );
}

/**
 * The path of a `file:` URL.
 *
 * @throws {TypeError} If it is another kind of URL.
 */
export function fileUrlToPath(url: URL | string): string {
  const { protocol, pathname } = new URL(url);
  if (protocol !== "file:") {
    throw new TypeError(`Cannot make a path of ${protocol} URLs`);
  }
  return decodeURIComponent(pathname);
}
