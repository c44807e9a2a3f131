import { isDeepStrictEqual } from 'node:util';

type Sent = Readonly<Record<string, unknown>>;

/** Methods with a credential that the user has at this service. A link by e-mail needs only the mailbox. */
const OWN_METHODS = ['password', 'passkey'] as const;
/** The console's form has a checkbox for each method. Browsers send only ticked ones. */
const BOX = 'provider_';
/** The form also sends the order of the methods, in fields that are always present: they show that it is this form. */
const FORM_FIELDS = /^(provider|place)_/;

/**
 * Whether the change removes password or passkey from an app's sign-in methods. The administrators of such an app could
 * then confirm critical actions with a provider alone (docs/decisions/0096), so the change itself needs a recent
 * sign-in.
 * @param sent the body of a request to the API, or the fields of the console's form
 */
export function takesOwnCredentialsAway(sent: Sent, current: readonly string[]): boolean {
  return [inConfig(sent), inForm(sent)].some((methods) => methods !== undefined && lacksOwn(methods, current));
}

/**
 * Whether the change alters which passkey models the tenant accepts. A passkey of another model does not count as a
 * credential in the tenant, so this can have the same effect as removing the method.
 * @param sent a list of AAGUIDs, or the text of a form with one in each line
 */
export function changesPasskeyModels(sent: unknown, current: readonly string[] | null): boolean {
  return sent !== undefined && !isDeepStrictEqual(modelsIn(sent), modelsIn(current));
}

function lacksOwn(methods: unknown, current: readonly string[]): boolean {
  const isKept = (method: string) => Array.isArray(methods) && methods.includes(method);
  return OWN_METHODS.some((method) => current.includes(method) && !isKept(method));
}

function inConfig({ config }: Sent): unknown {
  return typeof config === 'object' && config !== null ? (config as Sent)['allowed_providers'] : undefined;
}

function inForm(sent: Sent): string[] | undefined {
  const names = Object.keys(sent);
  if (!names.some((name) => FORM_FIELDS.test(name))) return undefined;
  const ticked = names.filter((name) => name.startsWith(BOX) && sent[name] === 'on');
  return ticked.map((name) => name.slice(BOX.length));
}

function modelsIn(value: unknown): string[] {
  const models: unknown[] = typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : [];
  return models
    .map((model) => String(model).trim().toLowerCase())
    .filter((model) => model !== '')
    .sort();
}
