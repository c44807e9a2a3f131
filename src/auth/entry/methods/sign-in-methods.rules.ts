import { joinedAt, publishedAmr, UNPROMPTED } from '../../../tokens/protocol/amr.rules.js';
import { countedAmr, type PasskeyPolicy } from '../../credentials/passkeys/stored/passkey-models.rules.js';
import { SECOND_FACTOR_AMR } from '../../credentials/second-factor/stored/second-factor.rules.js';
import { allowsMethod } from './allows-method.rules.js';

/**
 * Names in `allowed_providers` of the methods in `amr`. An external provider is in `amr` under its own name, next to
 * `fed`.
 */
const METHODS: Readonly<Record<string, string>> = {
  pwd: 'password',
  email: 'magic_link',
  hwk: 'passkey',
  swk: 'passkey',
};
const NO_METHODS: readonly string[] = ['fed', UNPROMPTED, 'user', ...SECOND_FACTOR_AMR];

/**
 * The first factors of a sign-in, named as in `allowed_providers`. A sign-in without any (into an account that was
 * created without a password) counts as a sign-in link by e-mail.
 */
export function methodsOf(amr: readonly string[]): string[] {
  const methods = publishedAmr(amr)
    .filter((value) => !NO_METHODS.includes(value))
    .map((value) => METHODS[value] ?? value);
  return methods.length > 0 ? methods : ['magic_link'];
}

/**
 * Whether an app accepts a sign-in, even one that was made elsewhere: the app allows one of the methods that count at
 * its tenant, or the user joined this app by an invite or a sign-up without a password.
 */
export function acceptsMethods(
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
