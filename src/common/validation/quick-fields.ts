/**
 * A faster way to read request classes with simple fields only: class-transformer and class-validator take longer than
 * many handlers. Each decorator of `fields.ts` also declares here which values are certainly valid. All other values go
 * to the libraries, which decide and word the refusal. A unit test compares both ways for every request class.
 */

/** The value may be invalid: the libraries decide. */
export const NEEDS_VALIDATION = Symbol('unsure');

/** @returns the value as the handler gets it, or {@link NEEDS_VALIDATION} */
export type QuickField = (value: unknown) => unknown;

type Class = new () => object;

/** Fields by prototype and property; null for a field that only the libraries can validate. */
const declared = new Map<object, Map<string, QuickField | null>>();
const readers = new Map<Class, ReadonlyMap<string, QuickField> | null>();

/** Called by the decorators of fields. */
export function declareQuickField(prototype: object, property: string, field: QuickField | null): void {
  const own = declared.get(prototype) ?? new Map<string, QuickField | null>();
  own.set(property, own.has(property) ? null : field);
  declared.set(prototype, own);
}

/** @returns an instance with only the fields of the class, or null if the libraries must decide */
export function readQuickly(type: Class, value: Readonly<Record<string, unknown>>): object | null {
  const fields = quickFieldsOf(type);
  if (!fields) return null;
  const instance = new type() as Record<string, unknown>;
  for (const [property, field] of fields) {
    const given = value[property];
    const taken = field(given);
    if (taken === NEEDS_VALIDATION) return null;
    if (given !== undefined) instance[property] = taken;
  }
  return instance;
}

/** Classes that are read quickly, with the names of their fields: for the test that compares both ways. */
export function quickClasses(): [Class, string[]][] {
  return [...declared.keys()].flatMap((prototype) => {
    const type = prototype.constructor as Class;
    const fields = quickFieldsOf(type);
    return fields ? [[type, [...fields.keys()]] satisfies [Class, string[]]] : [];
  });
}

function quickFieldsOf(type: Class): ReadonlyMap<string, QuickField> | null {
  let fields = readers.get(type);
  if (fields === undefined) {
    fields = collect(type);
    readers.set(type, fields);
  }
  return fields;
}

/** Includes inherited fields; null if one of them is not simple, or if there are none. */
function collect(type: Class): ReadonlyMap<string, QuickField> | null {
  const fields = new Map<string, QuickField>();
  for (
    let prototype: object | null = type.prototype as object;
    prototype;
    prototype = Object.getPrototypeOf(prototype) as object | null
  ) {
    for (const [property, field] of declared.get(prototype) ?? []) {
      if (!field) return null;
      if (!fields.has(property)) fields.set(property, field);
    }
  }
  return fields.size > 0 ? fields : null;
}
