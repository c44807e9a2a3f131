import type { SchemaLike } from './open-api-shapes.js';

/** `#/components/schemas/AppView` → `AppView`. */
function schemaName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

/** Name of the schema: referenced directly, as the items of an array, or in `allOf`. Null: none. */
export function namedIn(schema: SchemaLike | undefined): string | null {
  if (!schema) return null;
  if (schema.$ref) return schemaName(schema.$ref);
  return namedIn(schema.items) ?? (schema.allOf?.length === 1 ? namedIn(schema.allOf[0]) : null);
}

/** A type in a few words: `string (uuid)`, `array of AppView`, `integer, 1 to 1440`, `"a" or "b"`. */
export function typeInWords(schema: SchemaLike | undefined): string {
  if (!schema) return 'any';
  const words = [kindOf(schema), limitsOf(schema)].filter(Boolean).join(', ');
  return schema.nullable ? `${words} or null` : words;
}

function kindOf(schema: SchemaLike): string {
  if (schema.$ref) return schemaName(schema.$ref);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choices) return choices.map(typeInWords).join(' or ');
  if (schema.type === 'array') return `array of ${typeInWords(schema.items)}`;
  return schema.format ? `${schema.type ?? 'any'} (${schema.format})` : (schema.type ?? 'any');
}

function limitsOf({ minimum, maximum, minLength, maxLength, maxItems }: SchemaLike): string {
  const range = [minimum !== undefined && `at least ${minimum}`, maximum !== undefined && `at most ${maximum}`];
  const letters = [
    minLength && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
  ];
  return [...range, ...letters, maxItems !== undefined && `at most ${maxItems} items`].filter(Boolean).join(', ');
}
