/**
 * A guardrail's entry in the index.
 *
 * @module
 */
import { compileSchema } from "../base/json_schema.ts";
import { err, isRecord, ok, type Result } from "../base/result.ts";
import { RESERVED_CHECK_IDS, shippedCheckIds } from "./check_ids.ts";
import {
  finishEntry,
  type IndexEntry,
  optionalFields,
  requiredFields,
} from "./entry_fields.ts";
import type { FileError } from "./errors.ts";
import { fileError, type IndexedFile } from "./indexed_file.ts";
import { toPlainJson } from "./plain_json.ts";
import { isAnyZod, schemaOf, type SchemaSlot } from "./schema_slot.ts";

/** Makes a guardrail's entry (`spec/handler_runtime.md` 7.5). */
export async function guardrailEntry(
  file: IndexedFile,
): Promise<Result<IndexEntry, FileError>> {
  const taken = shippedCheckIds(file).find((id) =>
    RESERVED_CHECK_IDS.includes(id)
  );
  if (taken !== undefined) {
    return err(
      fileError(
        file,
        "reserved-check-id",
        `it ships a check of its own under "${taken}", the id of a built-in check, which would replace it. Rename the ` +
          `check to "${file.packId}.checks.<name>", or use the built-in one with \`check: "${taken}"\``,
        { field: "check" },
      ),
    );
  }
  const { definition } = file;
  const required = requiredFields(file, {
    string: ["id", "kind"],
    object: ["action"],
  });
  if (required.kind === "err") return required;
  const schema = await configSchema(file);
  if (schema.kind === "err") return schema;
  const misfit = configMisfit(file, schema.value);
  if (misfit) return err(misfit);

  const checkId = checkIdOf(definition.check);
  const known = String(checkId ?? definition.id);
  return finishEntry(file, {
    ...required.value,
    ...optionalFields(definition, {
      string: ["name", "severity", "sandbox"],
      object: ["scope", "config", "limits", "network"],
    }),
    ...(checkId === undefined ? {} : { checkId }),
    ...(RESERVED_CHECK_IDS.includes(known) ? { checkBuiltIn: true } : {}),
    checkModulePath: file.path,
  }, schema.value === undefined ? {} : { configSchema: schema.value });
}

function checkIdOf(check: unknown): string | undefined {
  if (typeof check === "string") return check;
  return isRecord(check) && typeof check.id === "string" ? check.id : undefined;
}

async function configSchema(
  file: IndexedFile,
): Promise<Result<Record<string, unknown> | undefined, FileError>> {
  const slot = configSlot(file);
  if (!slot) return ok(undefined);
  if (slot.field === "configSchema" && isAnyZod(slot.value)) {
    return err(
      fileError(
        file,
        "manifest-validation-failed",
        "its `configSchema` is a Zod schema, where JSON Schema is read. Move it to `configZod`",
        { field: "config" },
      ),
    );
  }
  const schema = await schemaOf(file, slot);
  if (schema.kind === "ok" || slot.field === "configSchema") return schema;
  // The index has one name for both ways of writing it.
  return err({ ...schema.error, field: "configSchema" });
}

/** Where the schema of the check's config is: Zod before JSON Schema, the guardrail's own before its check's. */
function configSlot({ definition }: IndexedFile): SchemaSlot | undefined {
  const check = isRecord(definition.check) ? definition.check : {};
  const zod = [definition.configZod, check.configZod].find(isAnyZod);
  if (zod !== undefined) {
    // `defineCheck` parses the config with the schema that it keeps; a guardrail's own is only described.
    return {
      field: "configZod",
      value: zod,
      io: "input",
      zodRunsToo: zod === check.configZod,
    };
  }
  const json = [
    definition.configSchema,
    check.configSchema,
    check.configJsonSchema,
  ].find(isRecord);
  if (json === undefined) return undefined;
  return { field: "configSchema", value: json, io: "input", zodRunsToo: false };
}

/** Why the guardrail's config is not what its check takes; the config is checked as it is declared, without defaults. */
function configMisfit(
  file: IndexedFile,
  schema: Record<string, unknown> | undefined,
): FileError | undefined {
  const { config } = file.definition;
  const refuse = (reason: string) =>
    fileError(file, "manifest-validation-failed", reason, { field: "config" });
  if (config !== undefined && !isRecord(config)) {
    return refuse("its `config` is not an object");
  }
  if (!schema) return undefined;
  const compiled = compileSchema(schema, "output");
  if (compiled.kind === "err") {
    return refuse(
      `the schema of its config can't be used: ${compiled.error.message}`,
    );
  }
  const plain = toPlainJson(config ?? {});
  const issue = plain.kind === "ok" && compiled.value(plain.value)[0];
  if (!issue) return undefined;
  const place = issue.instancePath === "" ? "" : `at ${issue.instancePath} `;
  return refuse(
    `its \`config\` doesn't fit its check: ${place}${issue.message}`,
  );
}
