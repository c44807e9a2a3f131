import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { administers } from '../../common/actor.js';
import type { AdmissionFacts } from '../../enrollment/admission/admission.rules.js';
import type { TenantPolicy } from '../../enrollment/authority/authority.repository.js';
import type { User } from '../../users/user.entity.js';
import { countedAmr, type PasskeyPolicy } from '../credentials/passkeys/stored/passkey-models.rules.js';
import { isByPasskey, isKeyAlone } from '../credentials/passkeys/stored/passkey.rules.js';
import { awaitsSecondFactor, hasShownSecondFactor } from '../credentials/second-factor/stored/second-factor.rules.js';
import { strictest } from '../../enrollment/authority/console-policy.rules.js';
import { demandsSecondFactor, type EntryFacts } from './entry.rules.js';
import { allowsMethod } from './methods/allows-method.rules.js';
import { acceptsMethods } from './methods/sign-in-methods.rules.js';

/**
 * A user who wants to enter an app, with the facts that the entry decision asks for. A sign-in reads each fact from the
 * database when it needs it; a preview answers from rows that it has read for many users at once. Both decide by the
 * same rules.
 */
export interface Entrant {
  readonly user: Pick<User, 'isActive' | 'totpEnabledAt'>;
  readAdmission(client: RegisteredClient): Promise<{ facts: AdmissionFacts; roles: readonly string[] }>;
  /** The policies of the tenants over which the user has authority. */
  listPolicies(): Promise<readonly TenantPolicy[]>;
  /** Whether the user has a passkey that a browser can use here and that the tenant accepts. */
  hasPasskey(tenant: PasskeyPolicy): Promise<boolean>;
  /**
   * Whether two factors are required of the user anywhere, and they have a passkey: see `PasskeyFactors.guardsAccount`.
   */
  guardsAccount(): Promise<boolean>;
  /** Whether the user has a password, or an account at a provider that the installation offers. */
  hasOtherCredentials(): Promise<boolean>;
}

/**
 * The client with the policy that applies to this user. At every Console app, this is the strictest combination of its
 * own tenant's policy and those of the tenants over which the user has authority (docs/decisions/0067).
 */
export async function clientAsFor(
  entrant: Pick<Entrant, 'listPolicies'>,
  client: RegisteredClient,
): Promise<RegisteredClient> {
  if (!client.app.isConsoleApp) return client;
  return { ...client, tenant: strictest(client.tenant, await entrant.listPolicies()) };
}

/**
 * Reads the facts that decide whether the user may enter the app, and the user's roles there.
 * @param shown `amr` of this sign-in so far (RFC 8176)
 * @param requireAdmin2fa whether administrators of the platform or a tenant need a second factor (REQUIRE_ADMIN_2FA)
 */
export async function readEntryFacts(
  entrant: Entrant,
  registered: RegisteredClient,
  shown: readonly string[],
  requireAdmin2fa: boolean,
): Promise<{ facts: EntryFacts; roles: readonly string[] }> {
  const { user } = entrant;
  const client = await clientAsFor(entrant, registered);
  const amr = countedAmr(client.tenant, shown);
  const { facts, roles } = await entrant.readAdmission(client);
  const isAdministrator = facts.console !== null && administers(facts.console.authority);
  const demanded = demandsSecondFactor(client, requireAdmin2fa) || (requireAdmin2fa && isAdministrator);
  const isLeft = demanded && user.totpEnabledAt === null && !hasShownSecondFactor(amr);
  const byPasskey = isLeft && !isByPasskey(amr) && (await entrant.hasPasskey(client.tenant));
  const secondFactorMissing = isLeft && !byPasskey;
  const isGuarded = secondFactorMissing && (await isGuardedByPasskey(entrant, shown));
  const secondFactorDue = awaitsSecondFactor(user, amr) || byPasskey || isGuarded;
  const isKeyTooLittle = secondFactorMissing && (await mustBeginOtherwise(entrant, client, shown));
  const methodAllowed = acceptsMethods(client, shown) && !isKeyTooLittle;
  return { facts: { ...facts, methodAllowed, secondFactorDue, secondFactorMissing }, roles };
}

/**
 * Whether a user must use a passkey before they set up another second factor, even a passkey that this tenant does not
 * accept. The new factor would also give access to apps of other tenants, so a password alone must not be enough to set
 * it up.
 */
export async function isGuardedByPasskey(
  entrant: Pick<Entrant, 'guardsAccount'>,
  shown: readonly string[],
): Promise<boolean> {
  return !isByPasskey(shown) && !hasShownSecondFactor(shown) && (await entrant.guardsAccount());
}

/**
 * Whether a user who has only touched a key must begin with something else, after which the key is the second factor
 * (docs/decisions/0099). Otherwise a stolen key could set up another second factor, and be both factors from then on.
 * Users who have nothing else set one up with the key alone.
 */
export async function mustBeginOtherwise(
  entrant: Pick<Entrant, 'hasOtherCredentials'>,
  { app }: Pick<RegisteredClient, 'app'>,
  shown: readonly string[],
): Promise<boolean> {
  return isKeyAlone(shown) && (allowsMethod(app, 'magic_link') || (await entrant.hasOtherCredentials()));
}
