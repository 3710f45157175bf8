/**
 * Telling a Zod 4 schema from any other value without importing Zod: a pack brings its own copy and version.
 *
 * @module
 */

/** What Zod 4 (and any Standard Schema library) answers to `validate`. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
    readonly issues: readonly {
      readonly message: string;
      readonly path?:
        | readonly (PropertyKey | { readonly key: PropertyKey })[]
        | undefined;
    }[];
  };

/** The part of a Zod 4 schema that is used here: the Standard Schema door. */
export interface ZodSchema {
  /** Zod 4's own internals; their presence is the mark of Zod 4. */
  readonly _zod: object;
  /** The Standard Schema interface. */
  readonly "~standard": {
    readonly validate: (
      value: unknown,
    ) => StandardResult | Promise<StandardResult>;
  };
}

/**
 * Whether a value is a Zod 4 schema: an object with an object `_zod` and a `~standard` key
 * (`spec/handler_runtime.md` 7.6). A Zod 3 schema is not.
 */
export function isZodSchema(value: unknown): value is ZodSchema {
  if (typeof value !== "object" || value === null) return false;
  const zod = (value as { _zod?: unknown })._zod;
  return typeof zod === "object" && zod !== null && "~standard" in value;
}
