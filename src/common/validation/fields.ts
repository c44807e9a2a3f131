import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  IsUUID,
  isUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  registerDecorator,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { judgeEmail, readEmail } from './email.rules.js';
import { declareQuickField, type QuickField, NEEDS_VALIDATION } from './quick-fields.js';

/**
 * Decorators for fields of request classes: each sets the type, bounds and OpenAPI text. An optional field may be
 * absent; `null` is accepted only with `nullable`.
 */
interface FieldOptions {
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly description?: string;
  readonly example?: unknown;
}

const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Text; lengths count code points.
 * @param options.quick if a further decorator transforms the value
 */
export function Text(
  options: FieldOptions & { min?: number; max: number; pattern?: RegExp; secret?: boolean; quick?: QuickField },
) {
  const { min, max, pattern } = options;
  const quick = options.quick ?? (pattern ? null : quickText(min ?? 0, max));
  return field(
    options,
    {
      type: String,
      minLength: min,
      maxLength: max,
      format: options.secret ? 'password' : undefined,
      pattern: pattern?.source,
    },
    [
      IsString(),
      ...(min
        ? [
            CodePoints(
              'minLength',
              (text) => text.length >= 2 * min || codePoints(text) >= min,
              `String should have at least ${min} characters`,
            ),
          ]
        : []),
      CodePoints(
        'maxLength',
        (text) => text.length <= max || codePoints(text) <= max,
        `String should have at most ${max} characters`,
      ),
      ...(pattern ? [Matches(pattern)] : []),
    ],
    quick,
  );
}

/** Accepts only texts that are within the bounds however they are counted. */
export function quickText(min: number, max: number): QuickField {
  return (value) =>
    typeof value === 'string' && value.length >= 2 * min && value.length <= max ? value : NEEDS_VALIDATION;
}

/** A UUID, converted to lower case, in which ids are stored and compared. */
export function Uuid(options: FieldOptions = {}) {
  return field(
    options,
    { type: String, format: 'uuid' },
    [
      Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
      IsString(),
      IsUUID('all'),
    ],
    quickUuid,
  );
}

function quickUuid(value: unknown): unknown {
  return isUUID(value, 'all') ? (value as string).toLowerCase() : NEEDS_VALIDATION;
}

/**
 * An e-mail address, without surrounding blanks. An address that looks like another one is refused.
 * @param options.lookUp nothing is stored: such an address is accepted and has no account
 */
export function Email(options: FieldOptions & { lookUp?: boolean } = {}) {
  return field(options, { type: String, format: 'email', maxLength: 254 }, [
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (readEmail(value)?.typed ?? value) : value,
    ),
    IsString(),
    MaxLength(1024),
    MailAddress(options.lookUp ?? false),
  ]);
}

const LANGUAGE_TAG = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;
const LANGUAGE_TAG_LENGTH = 35;

/** A language tag (BCP 47; RFC 5646 section 4.4.1 for its length); null clears it. */
export function LanguageTag(options: FieldOptions = {}) {
  const tag = { max: LANGUAGE_TAG_LENGTH, pattern: LANGUAGE_TAG, example: 'en' };
  return Text({ optional: true, nullable: true, ...options, ...tag });
}

export function Flag(options: FieldOptions = {}) {
  return field(options, { type: Boolean }, [IsBoolean()]);
}

export function Whole(options: FieldOptions & { min: number; max: number }) {
  const { min, max } = options;
  return field(options, { type: 'integer', minimum: min, maximum: max }, [IsInt(), Min(min), Max(max)]);
}

/** A whole number in a query string. */
export function QueryWhole(options: FieldOptions & { min: number; max: number }) {
  const { min, max } = options;
  return field({ ...options, optional: true }, { type: 'integer', minimum: min, maximum: max }, [
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    IsInt({ context: { query: true } }),
    Min(min),
    Max(max),
  ]);
}

/** A flag in a query string: true, false, 1 or 0. */
export function QueryFlag(options: FieldOptions = {}) {
  return field({ ...options, optional: true }, { type: Boolean }, [
    Transform(({ value }: { value: unknown }) =>
      value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value,
    ),
    IsBoolean(),
  ]);
}

export function Choice(values: readonly string[], options: FieldOptions = {}) {
  return field(options, { type: String, enum: [...values] }, [IsString(), IsIn([...values])]);
}

export function TextList(
  options: FieldOptions & { max: number; itemMax: number; itemPattern?: RegExp; choices?: readonly string[] },
) {
  const { itemMax, itemPattern, choices } = options;
  return field(
    options,
    { type: String, isArray: true, maxItems: options.max, enum: choices ? [...choices] : undefined },
    [
      IsArray(),
      ...listLength(options),
      IsString({ each: true }),
      ...(choices ? [IsIn([...choices], { each: true })] : [MaxLength(itemMax, { each: true })]),
      ...(itemPattern ? [Matches(itemPattern, { each: true })] : []),
    ],
  );
}

/** A nested object of its own request class. */
export function Nested(type: () => new () => object, options: FieldOptions = {}) {
  // Swagger recognizes a lazy type by the name of the function: it must be `type`.
  return field(options, { type: () => type() }, [IsObject(), ValidateNested(), Type(type)]);
}

/** A list of UUIDs, each as {@link Uuid}. */
export function UuidList(options: FieldOptions & { min?: number; max: number }) {
  return field(options, { type: String, format: 'uuid', isArray: true, minItems: options.min, maxItems: options.max }, [
    Transform(({ value }: { value: unknown }) =>
      Array.isArray(value)
        ? value.map((item: unknown) => (typeof item === 'string' ? item.toLowerCase() : item))
        : value,
    ),
    IsArray(),
    ...listLength(options),
    IsString({ each: true }),
    IsUUID('all', { each: true }),
  ]);
}

/** A list of objects of their own request class. */
export function NestedList(type: () => new () => object, options: FieldOptions & { min?: number; max: number }) {
  return field(options, { type: () => type(), isArray: true, minItems: options.min, maxItems: options.max }, [
    IsArray(),
    ...listLength(options),
    ValidateNested({ each: true }),
    Type(type),
  ]);
}

/** A free JSON object. */
export function Dict(options: FieldOptions = {}) {
  return field(options, { type: 'object', additionalProperties: true }, [IsObject()]);
}

/** @param quick validates a present value; absent: only the libraries can */
function field(
  options: FieldOptions,
  schema: Record<string, unknown>,
  checks: PropertyDecorator[],
  quick: QuickField | null = null,
): PropertyDecorator {
  const presence = options.nullable
    ? ValidateIf((_, value) => value !== null && (!options.optional || value !== undefined))
    : options.optional
      ? ValidateIf((_, value) => value !== undefined)
      : undefined;
  const defined = Object.entries(schema).filter(([, value]) => value !== undefined);
  return applyDecorators(
    ApiProperty({
      ...Object.fromEntries(defined),
      required: !options.optional,
      nullable: options.nullable ?? false,
      ...(options.description ? { description: options.description } : {}),
      ...(options.example === undefined ? {} : { example: options.example }),
    } as Parameters<typeof ApiProperty>[0]),
    ...(presence ? [presence] : []),
    ...(options.optional ? [] : [IsDefined()]),
    ...checks,
    (target: object, property: string | symbol) =>
      declareQuickField(target, String(property), quick && withAbsence(options, quick)),
  ) as PropertyDecorator;
}

function withAbsence({ optional, nullable }: FieldOptions, quick: QuickField): QuickField {
  return (value) => {
    if (value === undefined && optional) return value;
    return value === null && nullable ? value : quick(value);
  };
}

function CodePoints(name: string, accepts: (text: string) => boolean, message: string): PropertyDecorator {
  return check(name, (value) => typeof value !== 'string' || accepts(value), message);
}

/** Very long texts are not split: beyond the maximum of all fields the exact number does not matter. */
function codePoints(text: string): number {
  return text.length > 65536 ? text.length : [...text].length;
}

function listLength({ min = 0, max }: { min?: number; max: number }): PropertyDecorator[] {
  const atMost = check(
    'maxItems',
    (value) => !Array.isArray(value) || value.length <= max,
    `List should have at most ${max} items`,
  );
  if (min === 0) return [atMost];
  const atLeast = check(
    'minItems',
    (value) => !Array.isArray(value) || value.length >= min,
    `List should have at least ${min} item${min === 1 ? '' : 's'}`,
  );
  return [atLeast, atMost];
}

function MailAddress(lookUp: boolean): PropertyDecorator {
  const accepted = new Set(lookUp ? ['ok', 'deceptive'] : ['ok']);
  return check(
    'isEmail',
    (value) => typeof value !== 'string' || accepted.has(judgeEmail(value)),
    'value is not a valid email address',
  );
}

function check(name: string, accepts: (value: unknown) => boolean, message: string): PropertyDecorator {
  return (target, propertyKey) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(propertyKey),
      options: { message },
      validator: { validate: accepts },
    });
}

/** Whether a text has the form of a UUID (any version). */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID_PATTERN.test(text);
}
