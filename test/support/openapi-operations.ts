export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly nullable?: boolean;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
}

interface RawOperation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface OpenApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One operation of the document, with its request body's schema looked up. */
export interface Operation {
  /** Upper case. */
  readonly method: string;
  /** With `{parameters}`. */
  readonly path: string;
  readonly raw: RawOperation;
  readonly body: Schema | null;
}

export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => {
      const content = raw.requestBody?.content ?? {};
      const schema = Object.values(content)[0]?.schema;
      return { method: method.toUpperCase(), path, raw, body: schema ? resolveSchema(document, schema) : null };
    }),
  );
}

/** Follows `$ref`, also the one inside a single `allOf`. */
export function resolveSchema(document: OpenApiDocument, schema: Schema): Schema {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (!ref) return schema;
  const found = document.components.schemas[ref.replace('#/components/schemas/', '')];
  if (!found) throw new Error(`${ref} is not in the document`);
  return resolveSchema(document, found);
}

/** Fills the path with ids of things that exist; whatever else it names gets one that does not. */
export function concretePath(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => ids[name] ?? '00000000-0000-4000-8000-000000000000');
}
