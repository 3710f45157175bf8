/**
 * JSON Schema 2020-12, compiled by Ajv as the pack protocol asks (`spec/handler_runtime.md` 2.5): strict, all issues
 * listed, unions in `type` allowed, the standard formats, own properties only.
 *
 * @module
 */
import { Ajv2020, type ErrorObject, type Options } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { ZOD_FORMATS } from "./zod_formats.ts";
import { provideHostChecks } from "./host_checks.ts";
import { correctKeywords } from "./json_schema_keywords.ts";
import { compilePattern } from "./pattern.ts";
import { err, isRecord, ok, type Result } from "./result.ts";

/** One thing that is wrong with a value: plain data in the shape that Ajv gives its errors. */
export interface SchemaIssue {
  /** Where in the value: a JSON pointer, `""` at the root. */
  readonly instancePath: string;
  /** What is wrong, in words. */
  readonly message: string;
  /** The schema keyword that was broken; absent where no keyword was, as for a Zod refinement. */
  readonly keyword?: string;
  /** Where in the schema the keyword stands. */
  readonly schemaPath?: string;
  /** What the keyword asked for, such as `{ missingProperty }` or `{ limit, comparison }`. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * Checks a value against a compiled schema: every issue, `[]` when the value fits. Never throws.
 *
 * A validator of the input side writes the schema's defaults into the value that it is given.
 */
export type SchemaValidator = (value: unknown) => readonly SchemaIssue[];

/** Which side of a tool a schema describes: defaults are filled in, and must be applicable, on `"input"` only. */
export type SchemaSide = "input" | "output";

/** Why a schema can't be used. */
export interface SchemaCompileError {
  /** The only code there is. */
  readonly code: "schema-compile-failed";
  /** What is wrong with the schema. */
  readonly message: string;
  /** What Ajv (or the JSON writer) threw. */
  readonly cause: Error;
}

/** The dialect that schemas are read in. */
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** How many compiled schemas are kept, both sides together; the oldest goes first. */
const CACHE_LIMIT = 512;

type Compiled = Result<SchemaValidator, SchemaCompileError>;

const byText = new Map<string, Compiled>();
const byFrozenObject: Record<SchemaSide, WeakMap<object, Compiled>> = {
  input: new WeakMap(),
  output: new WeakMap(),
};

/**
 * Compiles a JSON Schema for one side of a tool.
 *
 * Compiled schemas are kept by side and JSON text, so an edited schema is a new one. Writing that text is what a repeated
 * call costs; for a schema that can't change (see {@link freezeSchema}) it is spared. A schema keeps its meaning as it
 * was compiled: later changes to the object don't reach the validator.
 */
export function compileSchema(
  schema: unknown,
  side: SchemaSide,
): Result<SchemaValidator, SchemaCompileError> {
  const frozen = typeof schema === "object" && schema !== null &&
    Object.isFrozen(schema);
  if (frozen) {
    const known = byFrozenObject[side].get(schema);
    if (known !== undefined) return known;
  }
  const compiled = compileByText(schema, side);
  if (frozen && isDeepFrozen(schema)) {
    byFrozenObject[side].set(schema, compiled);
  }
  return compiled;
}

/**
 * Freezes a schema at every level, so that {@link compileSchema} knows it by its identity. Answers the same object.
 *
 * A schema nested so deep that the call stack gives out stays partly unfrozen, which costs speed only.
 */
export function freezeSchema<T>(schema: T): T {
  try {
    freeze(schema);
  } catch {
    // Too deep: `compileSchema` sees that it isn't frozen throughout.
  }
  return schema;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) {
    return;
  }
  for (const item of Object.values(value)) freeze(item);
  Object.freeze(value);
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

function compileByText(schema: unknown, side: SchemaSide): Compiled {
  let text: string | undefined;
  try {
    text = JSON.stringify(schema);
  } catch (thrown) {
    return refused(asError(thrown));
  }
  if (text === undefined) {
    return refused(
      new TypeError(
        `a schema is an object or a boolean, received ${typeof schema}`,
      ),
    );
  }
  const key = `${side} ${text}`;
  const known = byText.get(key);
  if (known !== undefined) return known;

  const compiled = compileText(text, side);
  if (byText.size >= CACHE_LIMIT) {
    for (const oldest of byText.keys()) {
      byText.delete(oldest);
      break;
    }
  }
  byText.set(key, compiled);
  return compiled;
}

function compileText(text: string, side: SchemaSide): Compiled {
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema !== "boolean" && !isRecord(schema)) {
      throw new TypeError(
        `a schema is an object or a boolean, received ${text.slice(0, 100)}`,
      );
    }
    if (isRecord(schema)) refuseForeignDialect(schema);
    draft().validateSchema(schema, true);
    // A fresh Ajv for each schema: two schemas may share an `$id`, and one that leaves our cache leaves memory.
    const check = createAjv(side).compile(schema);
    if ("$async" in check) {
      throw new TypeError("a schema with $async can't be used");
    }
    return ok((value) => {
      try {
        return check(value) ? NO_ISSUES : (check.errors ?? []).map(toIssue);
      } catch (thrown) {
        return [{ instancePath: "", message: unjudgeable(asError(thrown)) }];
      }
    });
  } catch (thrown) {
    return refused(asError(thrown));
  }
}

/**
 * What keeps a value from being a JSON Schema of draft 2020-12, judged by the draft's own schema. Less than compiling it:
 * unknown keywords and formats pass, and nothing is looked up.
 */
export function draftIssues(schema: unknown): readonly SchemaIssue[] {
  const ajv = draft();
  return ajv.validate(DIALECT, schema)
    ? NO_ISSUES
    : (ajv.errors ?? []).map(toIssue);
}

const NO_ISSUES: readonly SchemaIssue[] = Object.freeze([]);

/** Keeps to 2020-12: another draft's keywords would silently mean something else. */
function refuseForeignDialect(schema: Record<string, unknown>): void {
  const dialect = schema["$schema"];
  if (typeof dialect !== "string") return;
  if (dialect === DIALECT || dialect === `${DIALECT}#`) return;
  throw new TypeError(
    `the schema's dialect ${dialect} is not supported: write it as ${DIALECT}, or leave $schema out`,
  );
}

let sharedDraft: Ajv2020 | undefined;

/** The Ajv that knows whether a schema is one: compiling the draft's own schema takes a while, so it is done once. */
function draft(): Ajv2020 {
  return sharedDraft ??= createAjv("output", { allErrors: false });
}

function createAjv(side: SchemaSide, options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    allowUnionTypes: true,
    ownProperties: true,
    useDefaults: side === "input",
    validateSchema: false, // done with the shared one
    logger: false,
    code: {
      regExp: Object.assign((pattern: string) => compilePattern(pattern), {
        code: "compilePattern",
      }),
    },
    ...options,
  });
  addFormats.default(ajv);
  for (const name of ZOD_FORMATS) ajv.addFormat(name, true);
  correctKeywords(ajv);
  return ajv;
}

function toIssue(error: ErrorObject): SchemaIssue {
  return {
    instancePath: error.instancePath,
    message: error.message ?? `must fit ${error.keyword}`,
    keyword: error.keyword,
    schemaPath: error.schemaPath,
    params: error.params,
  };
}

function unjudgeable(thrown: Error): string {
  return thrown instanceof RangeError
    ? "must not be nested so deep: it can't be checked against the schema"
    : `can't be checked against the schema: ${thrown.message}`;
}

function refused(cause: Error): Compiled {
  const message = cause instanceof RangeError
    ? "the schema is nested too deep"
    : cause.message;
  return err({ code: "schema-compile-failed", message, cause });
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Says where and what, for one sentence about a value. */
function inWords(issue: SchemaIssue): string {
  return issue.instancePath === ""
    ? issue.message
    : `${issue.instancePath} ${issue.message}`;
}

provideHostChecks({
  schemaProblem: (schema, side) => {
    const compiled = compileSchema(schema, side);
    return compiled.kind === "err" ? compiled.error.message : undefined;
  },
  valueProblem: (schema, value) => {
    const compiled = compileSchema(schema, "output");
    if (compiled.kind === "err") return compiled.error.message;
    const first = compiled.value(value)[0];
    return first === undefined ? undefined : inWords(first);
  },
  filledValue: (schema, value) => {
    const compiled = compileSchema(schema, "input");
    if (compiled.kind === "err") return err(compiled.error.message);
    const copy = structuredClone(value);
    const first = compiled.value(copy)[0];
    return first === undefined ? ok(copy) : err(inWords(first));
  },
});
