import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { isSelfRegistered } from '../../apps/app/app-origin.rules.js';
import { demandsTwoFactors } from '../../apps/settings/required-factors.rules.js';
import { PROVIDERS } from '../../config/provider-settings.js';
import type { Authority } from '../../common/actor.js';
import { acceptsModel } from '../credentials/passkeys/stored/passkey-models.rules.js';
import { passkeyAmr } from '../credentials/passkeys/stored/passkey.rules.js';
import type { Entrant } from './entry-facts.js';
import { methodsOf } from './methods/sign-in-methods.rules.js';
import type { OwnMethod } from './sign-in-outcome.js';
import { lacksProvenEmail } from '../../enrollment/admission/admission.rules.js';
import type { TenantPolicy } from '../../enrollment/authority/authority.repository.js';
import { authorityFrom, isHeld } from '../../enrollment/authority/authority.rules.js';
import { allMemberships, type EntrantRow } from './entrants.repository.js';

/**
 * The settings that sign-ins depend on, of apps and of the installation: as they are, or as they would be after a
 * change.
 */
export interface SignInSettings {
  clientOf(appId: string): RegisteredClient | null;
  /** The platform's Console app. */
  readonly platformConsole: RegisteredClient | null;
  /** External identity providers that the installation has. */
  readonly providers: readonly string[];
  /** WebAuthn relying party ID of the passkeys that browsers can use here; null: none can be used. */
  readonly passkeyHost: string | null;
  /** Whether administrators need a second factor (REQUIRE_ADMIN_2FA). */
  readonly requireAdmin2fa: boolean;
}

/** An {@link Entrant} that answers from a row that has been read, as the database would answer with these settings. */
export function entrantOf(row: EntrantRow, world: SignInSettings): Entrant {
  const passkeys = row.passkeys.filter(({ rpId }) => rpId === world.passkeyHost);
  return {
    user: row,
    readAdmission: (client) =>
      Promise.resolve({
        roles: row.roles ?? ['user'],
        facts: {
          userIsActive: row.isActive,
          appIsOn: client.app.isActive,
          tenantIsOn: client.tenant.isActive,
          enrollment: row.status && { status: row.status },
          emailMissing: lacksProvenEmail(row, client),
          isOutsider: isOutsider(row, client, world),
          console: consoleFacts(row, client, world),
        },
      }),
    listPolicies: () => Promise.resolve(policiesOver(row, world)),
    hasPasskey: (tenant) => Promise.resolve(passkeys.some((passkey) => acceptsModel(tenant, passkey))),
    guardsAccount: () => Promise.resolve(passkeys.length > 0 && needsTwoFactors(row, world)),
    hasOtherCredentials: () =>
      Promise.resolve(row.hasPassword || row.providers.some((name) => world.providers.includes(name))),
  };
}

/**
 * The sign-in methods of the user, in the order in which they are tried: methods of the last sign-in first, then
 * password, linked accounts and passkeys, then the link by e-mail, which every user has. If a caller sees the result,
 * pass a row that was limited by `limitToVisible`.
 */
export function methodsOfUser(row: EntrantRow, world: SignInSettings): OwnMethod[] {
  const passkeys = row.passkeys.filter(({ rpId }) => rpId === world.passkeyHost);
  const methods: OwnMethod[] = [
    ...(row.hasPassword ? [{ method: 'password', amr: ['pwd'] }] : []),
    ...PROVIDERS.filter((name) => row.providers.includes(name) && world.providers.includes(name)).map((name) => ({
      method: name,
      amr: ['fed', name],
    })),
    ...passkeys.map((passkey) => ({ method: 'passkey', amr: passkeyAmr(passkey, { isUserVerified: true }) })),
    { method: 'magic_link', amr: ['email'] },
  ];
  const last = row.lastAmr ? methodsOf(row.lastAmr) : [];
  const rank = ({ method }: OwnMethod): number => (last.includes(method) ? 0 : 1);
  return methods.toSorted((one, other) => rank(one) - rank(other));
}

/** The same condition as `IS_OUTSIDER` in SQL. */
function isOutsider({ memberships }: EntrantRow, { app }: RegisteredClient, world: SignInSettings): boolean {
  if (!isSelfRegistered(app)) return false;
  return !memberships.some(({ appId }) => {
    const of = world.clientOf(appId)?.app;
    return of && !isSelfRegistered(of) && of.isActive && of.tenantId === app.tenantId;
  });
}

function consoleFacts(row: EntrantRow, { app, tenant }: RegisteredClient, world: SignInSettings) {
  if (!app.isConsoleApp) return null;
  return { isPlatform: tenant.isPlatform, tenantId: tenant.id, authority: authorityIn(row, world) };
}

/** As `AuthorityRepository` reads it. */
function authorityIn(row: EntrantRow, world: SignInSettings): Authority {
  const held = row.memberships.flatMap(({ appId, roles }) => {
    const client = world.clientOf(appId);
    if (!client?.tenant.isActive) return [];
    const each = { app_id: appId, tenant_id: client.tenant.id, is_console: client.app.isConsoleApp, roles };
    return isHeld(each) ? [each] : [];
  });
  return authorityFrom(row, held);
}

/** As `AuthorityRepository.listPolicies`. */
function policiesOver({ memberships }: EntrantRow, world: SignInSettings): TenantPolicy[] {
  return memberships.flatMap(({ appId, roles }) => {
    const client = world.clientOf(appId);
    if (!client?.tenant.isActive) return [];
    const { app, tenant } = client;
    if (!isHeld({ is_console: app.isConsoleApp, roles })) return [];
    const require2fa = tenant.require2fa || (app.isConsoleApp && app.config.require_2fa);
    return [{ require2fa, passkeyAaguids: tenant.passkeyAaguids }];
  });
}

/**
 * The part of `PasskeysRepository.isSecondFactor` that does not concern passkeys: whether two factors, or a passkey,
 * are required of the user anywhere. The places are those of `PLACES_OF_USER`.
 */
function needsTwoFactors(row: EntrantRow, world: SignInSettings): boolean {
  const { requireAdmin2fa, platformConsole } = world;
  if (requireAdmin2fa && row.isPlatformAdmin) return true;
  const places = allMemberships(row).flatMap(({ appId, roles }) => {
    const client = world.clientOf(appId);
    return client ? [{ client, roles, is_console: client.app.isConsoleApp }] : [];
  });
  if (places.some(({ client, is_console }) => demandsTwoFactors(client) || (requireAdmin2fa && is_console)))
    return true;
  const isAdmitted = row.isPlatformAdmin || places.some(isHeld);
  return isAdmitted && platformConsole !== null && demandsTwoFactors(platformConsole);
}
