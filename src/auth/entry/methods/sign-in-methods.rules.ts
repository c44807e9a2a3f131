import { joinedAt, publishedAmr, UNPROMPTED } from '../../../tokens/protocol/amr.rules.js';
import { countedAmr, type PasskeyPolicy } from '../../credentials/passkeys/stored/passkey-models.rules.js';
import { SECOND_FACTOR_AMR } from '../../credentials/second-factor/stored/second-factor.rules.js';
import { allowsMethod } from './allows-method.rules.js';

/** What the app calls the methods that `amr` shows; an external provider is listed beside `fed` under its own name. */
const METHODS: Readonly<Record<string, string>> = {
  pwd: 'password',
  email: 'magic_link',
  hwk: 'passkey',
  swk: 'passkey',
};
const NO_METHODS: readonly string[] = ['fed', UNPROMPTED, 'user', ...SECOND_FACTOR_AMR];

/** The first factors of a sign-in. One without any (an account made without a password) counts as a link by mail. */
export function methodsOf(amr: readonly string[]): string[] {
  const methods = publishedAmr(amr)
    .filter((value) => !NO_METHODS.includes(value))
    .map((value) => METHODS[value] ?? value);
  return methods.length > 0 ? methods : ['magic_link'];
}

/**
 * Whether an app takes a sign-in, wherever it was made: one of its methods counts at the tenant and is among those of the app,
 * or the account came in at this very app by an invite or a sign-up without a password.
 */
export function takesMethods(
  {
    app,
    tenant,
  }: {
    readonly app: { readonly id: string; readonly config: { readonly allowed_providers: readonly string[] } };
    readonly tenant: PasskeyPolicy;
  },
  amr: readonly string[],
): boolean {
  const counted = countedAmr(tenant, amr);
  return amr.includes(joinedAt(app)) || methodsOf(counted).some((method) => allowsMethod(app, method));
}
