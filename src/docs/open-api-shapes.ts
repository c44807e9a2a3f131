/** The parts of an OpenAPI 3 document that the reference uses. */
export interface SchemaLike {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly items?: SchemaLike;
  readonly allOf?: readonly SchemaLike[];
  readonly oneOf?: readonly SchemaLike[];
  readonly anyOf?: readonly SchemaLike[];
  readonly properties?: Readonly<Record<string, SchemaLike>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

type Content = Readonly<Record<string, { readonly schema?: SchemaLike }>>;

export interface OperationLike {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: SchemaLike;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

export interface DocumentLike {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationLike>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, SchemaLike>> };
}
