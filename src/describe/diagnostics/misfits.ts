import type { z } from "zod";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { readContent, readOwnKind } from "../../basics/schemas/content.ts";
import type { Kind, Wire } from "./wire.ts";
import { readLazy, readValues } from "../../basics/schemas/zod-internals.ts";

const kindOfType: Readonly<Record<string, Kind>> = {
  ...{ string: "string", template_literal: "string", number: "number", int: "number" },
  ...{ boolean: "boolean", null: "null", undefined: "undefined", void: "undefined" },
  ...{ bigint: "bigint", date: "date", map: "map", set: "set", symbol: "symbol" },
  ...{ nan: "nan", function: "function", file: "file" },
  ...{ array: "array", tuple: "array", object: "object", record: "object" },
};

const kindOfValue = (value: unknown): Kind => (value === null ? "null" : typeof value);

/** A part of a schema that no possible value fits. */
export interface Misfit {
  /** The path of the part, such as `.items[].at`. */
  readonly path: string;
  readonly kind: Kind;
  readonly schema: ZodSchema;
  readonly wire: Wire;
}

interface Finding {
  readonly misfits: readonly Misfit[];
  /** Whether no value at all fits the schema. */
  readonly acceptsNothing: boolean;
}

const fit: Finding = { misfits: [], acceptsNothing: false };
const nothingFits: Finding = { misfits: [], acceptsNothing: true };

/**
 * Finds the parts of a schema that no request can fill, or that no response can carry.
 *
 * A missed misfit is preferred to a false alarm: functions of the application are assumed to fit, and one fitting
 * alternative is enough.
 */
export class MisfitFinder {
  readonly #isInput: boolean;
  /** The findings so far; a schema that is being visited counts as fitting, so that cycles end. */
  readonly #found = new Map<Wire, Map<ZodSchema, Finding>>();

  constructor(direction: "input" | "output") {
    this.#isInput = direction === "input";
  }

  /** Finds the misfits of a schema, each path once; an unknown wire may carry anything. */
  find(schema: ZodSchema, wire: Wire | undefined): Finding {
    if (!wire) return fit;
    const known = this.#found.get(wire) ?? new Map<ZodSchema, Finding>();
    this.#found.set(wire, known);
    const found = known.get(schema);
    if (found) return found;
    known.set(schema, fit);
    const { misfits, acceptsNothing } = this.#look(schema, wire);
    const byPath = new Map(misfits.toReversed().map((misfit) => [misfit.path, misfit]));
    const finding = { misfits: [...byPath.values()].toReversed().slice(0, 10), acceptsNothing };
    known.set(schema, finding);
    return finding;
  }

  #look(schema: ZodSchema, wire: Wire): Finding {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    if (this.#isInput && "coerce" in def && def.coerce)
      return def.type === "boolean" && wire.carrier !== "json"
        ? allowSome(toMisfit("coercedBoolean", schema, wire))
        : fit;
    const kind = kindOfType[def.type];
    if (kind && !wire.kinds.has(kind)) return checkKinds([kind], schema, wire);
    switch (def.type) {
      case "never":
        return nothingFits;
      case "literal":
      case "enum":
        return checkKinds([...(readValues(schema) ?? [])].map(kindOfValue), schema, wire);
      case "custom": {
        // another check reports content inside an output
        const content = this.#isInput ? readContent(schema)?.kind : undefined;
        // a path is a string, which the schema accepts
        if (content === "file") return allowSome(toMisfit(content, schema, wire));
        const own = readOwnKind(schema) ?? content;
        return own ? checkKinds([own], schema, wire) : fit;
      }
      case "array":
        return locate("[]", toListFinding(this.find(def.element, wire.inner()), wire));
      case "tuple":
        return merge(
          ...def.items.map((item, at) => locate(`[${at}]`, this.find(item, wire.inner()))),
        );
      case "object":
        return this.#findInFields(def, wire);
      case "record":
        return locate("[key]", allowSome(this.find(def.valueType, wire.inner())));
      case "union":
        return this.#findInOptions(def, wire);
      case "intersection":
        return merge(this.find(def.left, wire), this.find(def.right, wire));
      case "pipe": {
        const own = readOwnKind(schema);
        if (own === (this.#isInput ? "dateOut" : "dateIn")) return checkKinds([own], schema, wire);
        return this.find(this.#isInput ? def.in : def.out, wire);
      }
      case "optional":
      case "default":
      case "prefault":
        return allowSome(this.find(def.innerType, wire));
      case "nullable": {
        const finding = this.find(def.innerType, wire);
        return wire.kinds.has("null") ? allowSome(finding) : finding;
      }
      case "nonoptional":
      case "readonly":
      case "promise":
        return this.find(def.innerType, wire);
      case "catch":
        return this.#isInput ? fit : this.find(def.innerType, wire);
      case "lazy":
        return this.find(readLazy(schema as z.core.$ZodLazy), wire);
      default:
        return fit;
    }
  }

  #findInFields({ shape, catchall }: z.core.$ZodObjectDef, wire: Wire): Finding {
    const fields = Object.entries(shape).map(([key, field]) => {
      const inner = wire.inner(key);
      const finding = this.find(field, inner);
      const isNever = inner && finding.acceptsNothing && finding.misfits.length === 0;
      return locate(toStep(key), isNever ? toMisfit("never", field, inner) : finding);
    });
    // the catchall of a strict object is `never`
    const others = catchall ? allowSome(this.find(catchall, wire.inner())) : fit;
    return merge(...fields, locate("[key]", others));
  }

  /** Checks the options of a union: one fitting option is enough, unless a discriminator selects the option. */
  #findInOptions(def: z.core.$ZodUnionDef, wire: Wire): Finding {
    const options = def.options.map((option) => this.find(option, wire));
    const acceptsNothing = options.length > 0 && options.every((option) => option.acceptsNothing);
    if (acceptsNothing) return merge(...options);
    return "discriminator" in def ? allowSome(merge(...options)) : fit;
  }
}

const toMisfit = (kind: Kind, schema: ZodSchema, wire: Wire): Finding => ({
  misfits: [{ path: "", kind, schema, wire }],
  acceptsNothing: true,
});

/** Checks a schema whose values are of one or more kinds; the schema fits if one of the kinds is possible. */
const checkKinds = (kinds: readonly Kind[], schema: ZodSchema, wire: Wire): Finding => {
  const [kind] = kinds;
  if (kind === undefined || kinds.some((one) => wire.kinds.has(one))) return fit;
  // a field that must be absent counts as a field that no value fits
  return kind === "undefined" ? nothingFits : toMisfit(kind, schema, wire);
};

/** Converts the finding about an element to one about its array, which may be empty in JSON, but not in texts. */
const toListFinding = (element: Finding, { carrier }: Wire): Finding =>
  carrier === "json" || carrier === "output" ? allowSome(element) : element;

const locate = (step: string, { misfits, acceptsNothing }: Finding): Finding => ({
  acceptsNothing,
  misfits: misfits.map((misfit) => ({ ...misfit, path: step + misfit.path })),
});

/** Records that some value fits after all, such as undefined or an empty array. */
const allowSome = ({ misfits }: Finding): Finding => ({ misfits, acceptsNothing: false });

const merge = (...findings: readonly Finding[]): Finding => ({
  misfits: findings.flatMap(({ misfits }) => misfits),
  acceptsNothing: findings.some(({ acceptsNothing }) => acceptsNothing),
});

const toStep = (key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
