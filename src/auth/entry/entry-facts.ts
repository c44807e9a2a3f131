import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { administers } from '../../common/actor.js';
import type { AdmissionFacts } from '../../enrollment/admission/admission.rules.js';
import type { TenantPolicy } from '../../enrollment/authority/authority.repository.js';
import type { User } from '../../users/user.entity.js';
import { countedAmr, type PasskeyPolicy } from '../credentials/passkeys/stored/passkey-models.rules.js';
import { isByPasskey } from '../credentials/passkeys/stored/passkey.rules.js';
import { awaitsSecondFactor, hasShownSecondFactor } from '../credentials/second-factor/stored/second-factor.rules.js';
import { strictest } from './console-policy.rules.js';
import { demandsSecondFactor, type EntryFacts } from './entry.rules.js';
import { takesMethods } from './methods/sign-in-methods.rules.js';

/**
 * A user who wants to enter an app, and what can be asked about them. A sign-in asks the database when it needs to know;
 * a preview of a change answers from what it has read of many users at once. What is decided on it is the same.
 */
export interface Entrant {
  readonly user: Pick<User, 'isActive' | 'totpEnabledAt'>;
  readAdmission(client: RegisteredClient): Promise<{ facts: AdmissionFacts; roles: readonly string[] }>;
  /** Of the tenants over which they have authority. */
  listPolicies(): Promise<readonly TenantPolicy[]>;
  /** One that counts at the tenant. */
  hasPasskey(tenant: PasskeyPolicy): Promise<boolean>;
  /** Some app of theirs demands two factors, and they have a passkey: see `PasskeyFactors.guardsAccount`. */
  guardsAccount(): Promise<boolean>;
}

/**
 * The app as it is for this user: at a Console app the strictest of the tenants that they administer rules, whichever
 * Console they enter (docs/decisions/0067).
 */
export async function clientAsFor(
  entrant: Pick<Entrant, 'listPolicies'>,
  client: RegisteredClient,
): Promise<RegisteredClient> {
  if (!client.app.isConsoleApp) return client;
  return { ...client, tenant: strictest(client.tenant, await entrant.listPolicies()) };
}

/**
 * What decides whether the user may enter.
 * @param shown in this sign-in so far (RFC 8176)
 * @param ofAdministrators administrators of the platform or a tenant need a second factor (REQUIRE_ADMIN_2FA)
 */
export async function readEntryFacts(
  entrant: Entrant,
  registered: RegisteredClient,
  shown: readonly string[],
  ofAdministrators: boolean,
): Promise<{ facts: EntryFacts; roles: readonly string[] }> {
  const { user } = entrant;
  const client = await clientAsFor(entrant, registered);
  const amr = countedAmr(client.tenant, shown);
  const { facts, roles } = await entrant.readAdmission(client);
  const isAdministrator = facts.console !== null && administers(facts.console.authority);
  const demanded = demandsSecondFactor(client, ofAdministrators) || (ofAdministrators && isAdministrator);
  const isLeft = demanded && user.totpEnabledAt === null && !hasShownSecondFactor(amr);
  const byPasskey = isLeft && !isByPasskey(amr) && (await entrant.hasPasskey(client.tenant));
  const secondFactorMissing = isLeft && !byPasskey;
  const isGuarded = secondFactorMissing && (await isGuardedByPasskey(entrant, shown));
  const secondFactorDue = awaitsSecondFactor(user, amr) || byPasskey || isGuarded;
  const methodAllowed = takesMethods(client, shown);
  return { facts: { ...facts, methodAllowed, secondFactorDue, secondFactorMissing }, roles };
}

/**
 * Whether a user must show a passkey before they set up another second factor, also one that does not count at this tenant:
 * the new factor would open the apps of the others, and a password alone must not make it.
 */
export async function isGuardedByPasskey(
  entrant: Pick<Entrant, 'guardsAccount'>,
  shown: readonly string[],
): Promise<boolean> {
  return !isByPasskey(shown) && !hasShownSecondFactor(shown) && (await entrant.guardsAccount());
}
