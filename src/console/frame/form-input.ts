import type { FormError } from '../../common/pages/form-error.js';
import { Refusal } from '../../common/refusal.js';
import { InvalidInput, type InputFault } from '../../common/validation/invalid-input.js';
import { readInput } from '../../common/validation/read-input.js';

/** What came of a form: the request class of the API, or what to say beside its fields. */
export type FormInput<T> = { readonly input: T } | { readonly errors: readonly FormError[] };

/**
 * A form's values as the request class of the admin API, so that both obey the same rules.
 * @param values by the names of the API's fields, which are those of the form; undefined: not sent
 */
export function readForm<T extends object>(type: new () => T, values: Readonly<Record<string, unknown>>): FormInput<T> {
  const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const { input, faults } = readInput(type, sent, ['body']);
  return faults.length > 0 ? { errors: faults.map(formError) } : { input };
}

/**
 * A refusal of a service, where the form can say it. @throws the error itself where it is none, or where no other input
 * would help: those have pages of their own
 * @param fields by the code of a refusal, the field that it is about
 */
export function formErrors(error: unknown, fields: Readonly<Record<string, string>> = {}): FormError[] {
  if (error instanceof InvalidInput) return error.faults.map(formError);
  if (!(error instanceof Refusal) || typeof error.detail !== 'string') throw error;
  if (!['bad_request', 'conflict', 'not_found', 'invalid'].includes(error.kind)) throw error;
  const { code } = error;
  return [{ field: fields[code] ?? null, message: `${error.detail}.`, code }];
}

/** Of a nested field its own name counts; of a list, which a form takes line by line, the line is said too. */
function formError({ loc, msg, type }: InputFault): FormError {
  const field = loc.slice(1).findLast((part) => typeof part === 'string') ?? null;
  const last = loc.at(-1);
  const line = field !== null && typeof last === 'number' ? `Line ${last + 1}: ` : '';
  const said = WORDS[type] ?? inWords(msg);
  if (field === null) return { field, message: said };
  return { field, message: `${line}${said === WORDS['missing'] ? needed(field) : said}` };
}

/** Names the field, because several of these errors are listed above a form. */
function needed(field: string): string {
  const words = LABELS[field] ?? field.replaceAll('_', ' ');
  return `${words[0]!.toUpperCase()}${words.slice(1)} is needed.`;
}

/** Where the form calls it otherwise than the API. */
const LABELS: Readonly<Record<string, string>> = {
  display_name: 'Name',
  tenant_id: 'Tenant',
  primary_color: 'Colour',
  tos_uri: 'Terms of service URL',
  policy_uri: 'Privacy policy URL',
  support_uri: 'Support URL',
};

const WORDS: Readonly<Record<string, string>> = {
  missing: 'This field is required.',
  string_pattern_mismatch: 'This has the wrong format. See the hint below.',
  int_type: 'Enter a whole number.',
  enum: 'Choose one from the list.',
};

/** `String should have at least 8 characters` → `Use at least 8 characters.` */
function inWords(message: string): string {
  if (message === 'value is not a valid email address') return 'Enter an e-mail address, like ada@example.com.';
  if (/at least 1 character/.test(message)) return WORDS['missing']!;
  const bound = /^\S+ must not be (less|greater) than (-?\d+)$/.exec(message);
  if (bound) return `Enter ${Number(bound[2]).toLocaleString('en')} or ${bound[1] === 'less' ? 'more' : 'less'}.`;
  const said = message.replace(/^(String|List) should have/, 'Use').replace(/^Input should be/, 'Enter');
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
