/**
 * Two keywords of JSON Schema that Ajv gets wrong on inputs that matter here, written to the letter of the draft.
 * Their issues look like Ajv's own. And one annotation of ours, which strict mode would refuse as unknown.
 *
 * @module
 */
import { _, type Ajv2020, type KeywordCxt, Name, str } from "ajv/dist/2020.js";

/** Puts the corrected keywords in the place of Ajv's, and adds the annotation. */
export function correctKeywords(ajv: Ajv2020): void {
  // Marks a setting that may be tuned; asks nothing of a value (`spec/agents_define.md` 3.2).
  ajv.addKeyword("x-kindgi-tunable");

  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    before: "format",
    errors: false,
    error: {
      message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
      params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
    },
    validate: (divisor: number, value: number) => isMultiple(value, divisor),
  });

  ajv.removeKeyword("unevaluatedProperties");
  ajv.addKeyword({
    keyword: "unevaluatedProperties",
    type: "object",
    schemaType: ["boolean", "object"],
    trackErrors: true,
    error: {
      message: "must NOT have unevaluated properties",
      params: ({ params }) =>
        _`{unevaluatedProperty: ${params.unevaluatedProperty}}`,
    },
    code: unevaluatedProperties,
  });
}

/**
 * Whether a number is a whole multiple of another, judged on the decimals that JSON writes for them: 1.11 is a multiple
 * of 0.01, although no binary fraction equals either, and 1.1100001 is not.
 */
export function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) {
    return value % divisor === 0;
  }
  if (!Number.isFinite(value)) return false;
  const a = decimal(value);
  const b = decimal(divisor);
  const exponent = Math.min(a.exponent, b.exponent);
  return scaled(a, exponent) % scaled(b, exponent) === 0n;
}

/** A number as `digits × 10^exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = "0", power = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return {
    digits: BigInt(whole + fraction),
    exponent: Number(power) - fraction.length,
  };
}

function scaled(value: Decimal, exponent: number): bigint {
  return value.digits * 10n ** BigInt(value.exponent - exponent);
}

/**
 * Ajv keeps the names of evaluated properties in an ordinary object and looks them up without asking whether they are
 * its own, so `constructor` or `__proto__` in the data always counts as evaluated. This asks.
 */
function unevaluatedProperties(cxt: KeywordCxt): void {
  const { gen, data, it } = cxt;
  const schema: unknown = cxt.schema;
  const evaluated: unknown = it.props;
  // `trackErrors` makes Ajv count the errors before this keyword, whose absence would be a fault of Ajv itself.
  const errorsBefore = cxt.errsCount;
  const errorsNow = new Name("errors");

  const refuse = (key: Name) => {
    if (schema === false) {
      cxt.setParams({ unevaluatedProperty: key });
      cxt.error();
    } else if (schema !== true) {
      cxt.subschema(
        {
          keyword: "unevaluatedProperties",
          dataProp: key,
          dataPropType: 1, // a name, not an index: Ajv's `Type.Str`
        },
        gen.name("valid"),
      );
    }
  };

  if (evaluated instanceof Name) {
    const own = gen.scopeValue("func", {
      ref: Object.prototype.hasOwnProperty,
      code: _`Object.prototype.hasOwnProperty`,
    });
    gen.if(
      _`${evaluated} !== true`,
      () =>
        gen.forIn(
          "key",
          data,
          (key) =>
            gen.if(
              _`!(${evaluated} && ${own}.call(${evaluated}, ${key}))`,
              () => refuse(key),
            ),
        ),
    );
  } else if (evaluated !== true) {
    const names = Object.keys((evaluated ?? {}) as Record<string, true>);
    gen.forIn("key", data, (key) => {
      if (names.length === 0) return refuse(key);
      const unknown = names
        .map((name) => _`${key} !== ${name}`)
        .reduce((all, one) => _`${all} && ${one}`);
      gen.if(unknown, () => refuse(key));
    });
  }
  it.props = true;
  cxt.ok(_`${errorsBefore} === ${errorsNow}`);
}
