import { Refusal } from '../refusal.js';

/** One fault, in the format of docs/conventions.md, section 1. Never contains the input, which may be a password. */
export interface InputFault {
  /** `loc[0]` is body, query, path or header; array indexes are numbers. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: FaultType;
}

export type FaultType =
  | 'missing'
  | 'string_type'
  | 'string_too_short'
  | 'string_too_long'
  | 'string_pattern_mismatch'
  | 'value_error'
  | 'uuid_parsing'
  | 'int_parsing'
  | 'int_type'
  | 'bool_type'
  | 'list_type'
  | 'dict_type'
  | 'enum'
  | 'extra_forbidden'
  | 'greater_than_equal'
  | 'less_than_equal'
  | 'json_invalid';

/** 422, `{"detail":[{loc,msg,type}]}`. */
export class InvalidInput extends Refusal {
  constructor(readonly faults: readonly InputFault[]) {
    super('invalid', 'Validation failed');
  }

  /** For a rule that only the service can check, for example a role that is not in `available_roles`. */
  static field(name: string, msg: string, type: FaultType = 'value_error'): InvalidInput {
    return new InvalidInput([{ loc: ['body', ...name.split('.')], msg, type }]);
  }
}

/** All faults as one line of text. */
export function describeFaults(faults: readonly InputFault[]): string {
  const words = faults.map(({ loc, msg }) => [loc.slice(1).join('.'), msg].filter((part) => part !== '').join(': '));
  return words.join('; ');
}
