import { isDeepStrictEqual } from 'node:util';

type Sent = Readonly<Record<string, unknown>>;

/** Methods that ask users for something of their own. A link by e-mail needs their mailbox. */
const OWN_METHODS = ['password', 'passkey'] as const;
/** In a form of the console: the boxes of the methods, and their order, which is there also where no box is ticked. */
const BOX = 'provider_';
const FORM_FIELDS = /^(provider|place)_/;

/**
 * Whether an app would no longer ask its users for a password or a passkey. Then the word of a provider counts for acts of its administrators
 * (docs/decisions/0096), so a user who has confirmed nothing must not arrange it.
 * @param sent the body of the API, or a form of the console, with a box for each method
 */
export function takesOwnCredentialsAway(sent: Sent, current: readonly string[]): boolean {
  return [inConfig(sent), inForm(sent)].some((methods) => methods !== undefined && lacksOwn(methods, current));
}

/**
 * Whether other models of passkeys would count: one that does not is no credential of its user.
 * @param sent a list, or the text of a form with one in each line
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
