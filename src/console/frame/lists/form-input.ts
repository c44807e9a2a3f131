import type { FormError } from '../../../common/pages/form-error.js';
import { Refusal } from '../../../common/refusal.js';
import { InvalidInput, type InputFault } from '../../../common/validation/invalid-input.js';
import { readInput } from '../../../common/validation/read-input.js';
import { formatWords } from './format-words.js';

/** The result of reading a form: an instance of the API's request class, or errors for its fields. */
export type FormInput<T> = { readonly input: T } | { readonly errors: readonly FormError[] };

/**
 * Reads a form with the request class of the admin API, so that both follow the same rules.
 * @param values by the names of the API's fields, which the form uses too; undefined: not sent
 */
export function readForm<T extends object>(type: new () => T, values: Readonly<Record<string, unknown>>): FormInput<T> {
  const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const { input, faults } = readInput(type, sent, ['body']);
  return faults.length > 0 ? { errors: faults.map(formError) } : { input };
}

/**
 * Converts a refusal of a service into form errors.
 * @param fields field by code of the refusal
 * @throws the error itself if it is no refusal, or if no other input would help: these have error pages
 */
export function formErrors(error: unknown, fields: Readonly<Record<string, string>> = {}): FormError[] {
  if (error instanceof InvalidInput) return error.faults.map(formError);
  if (!(error instanceof Refusal) || typeof error.detail !== 'string') throw error;
  if (!['bad_request', 'conflict', 'not_found', 'invalid'].includes(error.kind)) throw error;
  const { code } = error;
  return [{ field: fields[code] ?? null, message: `${error.detail}.`, code }];
}

/** The field is the innermost name. In a list, which has one item per line, the message contains the line. */
function formError({ loc, msg, type }: InputFault): FormError {
  const field = loc.slice(1).findLast((part) => typeof part === 'string') ?? null;
  const last = loc.at(-1);
  const line = field !== null && typeof last === 'number' ? `Line ${last + 1}: ` : '';
  const said = type === 'string_pattern_mismatch' ? formatWords(field) : (WORDS[type] ?? inWords(msg));
  if (field === null) return { field, message: said };
  if (said === WORDS['missing']) return { field, message: `${line}${needed(field)}` };
  return { field, message: `${line}${said}`, label: labelOf(field) };
}

/** The message contains the name of the field, so that it needs no label in a summary of errors. */
function needed(field: string): string {
  if (CHOSEN.has(field)) return `Choose a ${labelOf(field).toLowerCase()}.`;
  const label = labelOf(field);
  // Keeps the capitals of abbreviations.
  const name = /^[A-Z][a-z]/.test(label) ? `${label[0]!.toLowerCase()}${label.slice(1)}` : label;
  return `Enter ${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}.`;
}

function labelOf(field: string): string {
  const words = field.replaceAll('_', ' ');
  return LABELS[field] ?? `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

/** Fields with a list of options. */
const CHOSEN = new Set(['tenant_id']);

/** Labels that differ from the names in the API. */
const LABELS: Readonly<Record<string, string>> = {
  apple_app_ids: 'Apple apps',
  auto_assign_roles: 'Default roles for new members',
  available_roles: 'Roles of this app',
  backchannel_logout_uri: 'Back-channel logout URI',
  bundle_id: 'Bundle ID',
  daily_quota: 'Notifications a day',
  default_locale: 'Default language',
  display_name: 'Name',
  client_document_hosts: 'Client ID Metadata Documents: allowed hosts',
  client_registration: 'Allow dynamic client registration',
  email: 'E-mail address',
  expires_days: 'Valid for (days)',
  initiate_login_uri: 'Initiate login URI',
  jwks: 'Public keys (JWKS)',
  jwks_uri: 'Address of the public keys',
  logo_height: 'Logo height, pixels',
  logo_url: 'Logo URL',
  max_uses: 'Maximum uses',
  min_password_length: 'Minimum password length',
  passkey_aaguids: 'Passkey models',
  passkey_recovery_days: 'Passkey recovery delay (days)',
  policy_uri: 'Privacy policy URL',
  post_logout_redirect_uris: 'Post-logout redirect URIs',
  primary_color: 'Color',
  redirect_uris: 'Redirect URIs',
  refresh_grace_seconds: 'Refresh token reuse interval (seconds)',
  refresh_lifetime_days: 'Refresh token lifetime (days)',
  send_to_email: 'E-mail address',
  support_email: 'Support address',
  support_uri: 'Support URL',
  tenant_id: 'Tenant',
  token_lifetime_minutes: 'Access token lifetime (minutes)',
  tos_uri: 'Terms of service URL',
  webhook_url: 'Webhook URL',
};

const WORDS: Readonly<Record<string, string>> = {
  missing: 'This field is required.',
  int_type: 'Enter a whole number.',
  enum: 'Choose one from the list.',
};

/** `String should have at least 8 characters` → `Use at least 8 characters.` */
function inWords(message: string): string {
  if (message === 'value is not a valid email address') return 'Enter an e-mail address, like ada@example.com.';
  if (message === 'Role is not among available_roles') return 'Add the role to “Roles of this app” first.';
  if (/at least 1 character/.test(message)) return WORDS['missing']!;
  const bound = /^\S+ must not be (less|greater) than (-?\d+)$/.exec(message);
  if (bound) return `Enter ${Number(bound[2]).toLocaleString('en')} or ${bound[1] === 'less' ? 'more' : 'less'}.`;
  const said = message.replace(/^(String|List) should have/, 'Use').replace(/^Input should be/, 'Enter');
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
