import type { DocumentLike, OperationLike, SchemaLike } from './open-api-shapes.js';
import { namedIn, typeInWords } from './schema-words.js';

/** In reading order; sections that are not in this list follow by name. */
const SECTIONS = ['Tokens and discovery', 'Sign-in', 'Account', 'External identity providers', 'Admin: tenants'].concat(
  [
    'Admin: apps',
    'Admin: users',
    'Admin: invites',
    'Admin: invites and audit',
    'Admin: mail log',
    'Push',
    'Export',
    'Import',
    'Operations',
  ],
);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** A part of a sentence; code is in backticks in the document. */
interface Piece {
  readonly text: string;
  readonly isCode: boolean;
}

/** Model of the page `views/dev/api-reference.hbs` for an OpenAPI document. */
export function apiReference(document: DocumentLike) {
  const names = new Map<string, ReturnType<typeof operationOf>[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = methods[method];
      if (!operation) continue;
      const section = operation.tags?.[0] ?? 'Other';
      names.set(section, [...(names.get(section) ?? []), operationOf(method, path, operation)]);
    }
  }
  const sections = [...names].sort(([one], [other]) => rank(one) - rank(other) || one.localeCompare(other));
  const schemas = Object.entries(document.components?.schemas ?? {}).sort(([one], [other]) => one.localeCompare(other));
  return {
    sections: sections.map(([title, operations]) => ({ id: slug(title), title, operations })),
    schemas: schemas.map(([name, schema]) => ({ name, fields: fieldsOf(schema) })),
  };
}

function operationOf(method: string, path: string, operation: OperationLike) {
  const { summary, description, security, parameters, requestBody, responses } = operation;
  return {
    id: slug(`${method} ${path}`),
    method: method.toUpperCase(),
    path,
    summary: summary ?? path,
    description: pieces(description),
    takesToken: (security?.length ?? 0) > 0,
    parameters: (parameters ?? []).map(({ name, in: place, required, schema, description: said }) => ({
      name,
      place,
      isRequired: required === true,
      type: typeInWords(schema),
      description: pieces(said),
    })),
    bodies: Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => ({ type, ...shapeOf(schema) })),
    responses: Object.entries(responses ?? {}).map(([status, { description: said, content }]) => ({
      status,
      description: pieces(said),
      shape: shownShape(Object.values(content ?? {})[0]?.schema),
    })),
  };
}

/** All errors have the same schema, which the introduction of the page describes. */
function shownShape(schema: SchemaLike | undefined) {
  const shape = shapeOf(schema);
  return !schema || ['Error', 'HTTPValidationError'].includes(shape.schema ?? '') ? null : shape;
}

/** @returns `schema`: name of the schema to link to */
function shapeOf(schema: SchemaLike | undefined) {
  return { words: typeInWords(schema), schema: namedIn(schema) };
}

function fieldsOf({ properties, required }: SchemaLike) {
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    type: typeInWords(schema),
    schema: namedIn(schema),
    isRequired: required?.includes(name) ?? false,
    description: pieces(schema.description),
  }));
}

function pieces(text: string | undefined): Piece[] {
  return (text ?? '')
    .split('`')
    .map((part, index) => ({ text: part, isCode: index % 2 === 1 }))
    .filter((piece) => piece.text !== '');
}

function rank(section: string): number {
  const at = SECTIONS.indexOf(section);
  return at < 0 ? SECTIONS.length : at;
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
