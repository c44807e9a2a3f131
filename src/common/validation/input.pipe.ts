import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { isUuid } from './fields.js';
import { findHostileValue } from './hostile-json.js';
import { type FaultType, type InputFault, InvalidInput } from './invalid-input.js';
import { readQuickly } from './quick-fields.js';

type InputSource = 'body' | 'query' | 'path';

/**
 * Converts input into the handler's request class, or refuses it with 422 and all faults. Unknown fields are dropped
 * and never reach a service. Path parameters named *_id must be UUIDs. A missing body counts as an empty one if no
 * field is required (DELETE, suspend with its query form), and if the handler reads the fields of a form itself.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    if (metadata.type === 'custom') return value;
    const place: InputSource = metadata.type === 'param' ? 'path' : metadata.type;
    if (place === 'path') return checkPath(value, metadata.data);
    const hostile = findHostileValue(value, [place]);
    if (hostile) throw new InvalidInput([hostile]);
    if (place === 'body' && value !== undefined && !isDictionary(value))
      throw new InvalidInput([{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }]);
    const type = metadata.metatype;
    if (!type || type === Object || type === String) return place === 'body' ? (value ?? {}) : value;
    const quick = isDictionary(value) ? readQuickly(type, value) : null;
    if (quick) return quick;
    const instance = plainToInstance(type, value ?? {}) as object;
    const errors = validateSync(instance, { whitelist: true, forbidUnknownValues: false, stopAtFirstError: false });
    if (errors.length > 0) {
      if (place === 'body' && value === undefined)
        throw new InvalidInput([{ loc: ['body'], msg: 'Field required', type: 'missing' }]);
      throw new InvalidInput(errors.flatMap((error) => faultsOf(error, [place])));
    }
    return instance;
  }
}

function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkPath(value: unknown, name: string | undefined): unknown {
  if (name && /(^|_)id$/.test(name) && !isUuid(value)) {
    throw new InvalidInput([{ loc: ['path', name], msg: 'Input should be a valid UUID', type: 'uuid_parsing' }]);
  }
  const hostile = findHostileValue(value, ['path', name ?? '']);
  if (hostile) throw new InvalidInput([hostile]);
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value;
}

/** The faults of a validation error. @param loc of the object that was validated */
export function faultsOf(error: ValidationError, loc: readonly (string | number)[]): InputFault[] {
  const here = [...loc, /^\d+$/.test(error.property) ? Number(error.property) : error.property];
  const nested = (error.children ?? []).flatMap((child) => faultsOf(child, here));
  const names = Object.keys(error.constraints ?? {}).filter(
    (name) => name !== 'isDefined' || error.value === undefined,
  );
  // A missing or mistyped value also fails all other checks; the first of these names describes it best.
  const name = PRECEDENCE.find((candidate) => names.includes(candidate)) ?? names[0];
  if (!name) return nested;
  const inQuery = loc[0] === 'query';
  const element = badElement(name, error.value);
  const own = TRANSLATION[name];
  return [
    {
      loc: element === null ? here : [...here, element],
      msg: own?.msg ?? error.constraints?.[name] ?? 'Value is not valid',
      type: name === 'isInt' && inQuery ? 'int_parsing' : (own?.type ?? 'value_error'),
    },
    ...nested,
  ];
}

/** Index of the invalid element if the check applies to each element of a list. */
function badElement(name: string, value: unknown): number | null {
  if (!Array.isArray(value) || name === 'maxItems') return null;
  if (name !== 'isString') return null;
  const index = value.findIndex((element) => typeof element !== 'string');
  return index < 0 ? null : index;
}

const PRECEDENCE = [
  'isDefined',
  'isArray',
  'isObject',
  'isString',
  'isInt',
  'isBoolean',
  'isUuid',
  'isIn',
  'minLength',
  'maxLength',
  'min',
  'max',
];

const TRANSLATION: Readonly<Record<string, { msg?: string; type: FaultType }>> = {
  isDefined: { msg: 'Field required', type: 'missing' },
  isString: { msg: 'Input should be a valid string', type: 'string_type' },
  isUuid: { msg: 'Input should be a valid UUID', type: 'uuid_parsing' },
  isInt: { msg: 'Input should be a valid integer', type: 'int_type' },
  isBoolean: { msg: 'Input should be a valid boolean', type: 'bool_type' },
  isArray: { msg: 'Input should be a valid list', type: 'list_type' },
  isObject: { msg: 'Input should be a valid dictionary', type: 'dict_type' },
  nestedValidation: { msg: 'Input should be a valid dictionary', type: 'dict_type' },
  isIn: { msg: 'Input is not one of the permitted values', type: 'enum' },
  matches: { msg: 'String does not match the expected pattern', type: 'string_pattern_mismatch' },
  minLength: { type: 'string_too_short' },
  maxLength: { msg: 'String is too long', type: 'string_too_long' },
  maxItems: { type: 'value_error' },
  isEmail: { type: 'value_error' },
  min: { type: 'greater_than_equal' },
  max: { type: 'less_than_equal' },
};
