import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import { NO_AUTHORITY } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import type { HeldProof } from '../../users/proof-guard.js';
import type { User } from '../../users/user.entity.js';
import type { RequestedAcr } from '../../tokens/protocol/acr.rules.js';
import { publishedAmr } from '../../tokens/protocol/amr.rules.js';
import { UsersService } from '../../users/users.service.js';
import { EntryRefused } from './entry-refused.js';
import { PasskeyFactors } from '../credentials/passkeys/offers/passkey-factors.service.js';
import { countedAmr } from '../credentials/passkeys/stored/passkey-models.rules.js';
import { isKeyAlone } from '../credentials/passkeys/stored/passkey.rules.js';
import { awaitsSecondFactor, hasShownSecondFactor } from '../credentials/second-factor/stored/second-factor.rules.js';
import { clientAsFor, type Entrant, isGuardedByPasskey, mustBeginOtherwise, readEntryFacts } from './entry-facts.js';
import { type AcrVerdict, judgeAcr } from './requested-acr.rules.js';
import { demandsSecondFactor, type EntryFacts, type EntryVerdict, judgeEntry } from './entry.rules.js';

/** A user who has authenticated and wants to enter an app, for the entry decision and the audit entry. */
export interface EntryRequest {
  readonly user: User;
  readonly client: RegisteredClient;
  readonly amr: readonly string[];
  readonly via: 'api' | 'hosted' | 'sso' | 'account' | 'device';
}

/** Facts for the account page, which is not an app: it has no members and is never switched off. */
const ANYWHERE = {
  appIsOn: true,
  tenantIsOn: true,
  enrollment: { status: 'active' },
  emailMissing: false,
  isOutsider: false,
  console: null,
} as const;

/** The entry decision and the audit entry, with which every sign-in ends, on a page or by JSON. */
@Injectable()
export class EntryService {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly users: UsersService,
    private readonly passkeys: PasskeyFactors,
    private readonly audit: AuditService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param amr methods used in this sign-in so far (RFC 8176) */
  async judge(
    user: Pick<User, 'id' | 'isActive' | 'totpEnabledAt'>,
    client: RegisteredClient,
    amr: readonly string[],
    tx?: EntityManager,
  ): Promise<{ verdict: EntryVerdict; roles: readonly string[] }> {
    const { facts, roles } = await this.readFacts(user, client, amr, tx);
    return { verdict: judgeEntry(facts), roles };
  }

  /** As {@link judge}, for the user's own account page, which every active user may open. */
  async judgeForAccount(
    user: Pick<User, 'id' | 'isActive' | 'totpEnabledAt'>,
    amr: readonly string[],
    tx?: EntityManager,
  ): Promise<EntryVerdict> {
    const isGuarded = !hasShownSecondFactor(amr) && (await this.passkeys.guardsAccount(user.id, tx));
    return judgeEntry({
      ...ANYWHERE,
      userIsActive: user.isActive,
      // The account belongs to the user and not to an app, so every sign-in method counts. Only a touched key does not
      // where two factors are due, because the user could show no second one after it.
      methodAllowed: !(isGuarded && user.totpEnabledAt === null && isKeyAlone(amr)),
      secondFactorDue: awaitsSecondFactor(user, amr) || isGuarded,
      secondFactorMissing: false,
    });
  }

  /** @param requested the `acr` values that the app requested; null: none */
  async judgeAcr(
    { id }: Pick<User, 'id'>,
    client: RegisteredClient,
    requested: RequestedAcr | null,
    amr: readonly string[],
  ): Promise<AcrVerdict> {
    if (!requested) return 'met';
    const { tenant } = client;
    const verdict = judgeAcr(requested, countedAmr(tenant, amr), await this.passkeys.has(id, tenant));
    if (verdict !== 'second_factor_setup') return verdict;
    const hasOtherCredentials = () => this.passkeys.hasOtherCredentials(id);
    if (await mustBeginOtherwise({ hasOtherCredentials }, client, amr)) return 'other_method';
    const isGuarded = await isGuardedByPasskey({ guardsAccount: () => this.passkeys.guardsAccount(id) }, amr);
    return isGuarded ? 'second_factor' : verdict;
  }

  /**
   * Whether any app may still ask this user for a second factor that they have. {@link judge} decides whether a certain
   * app does.
   */
  async mayAskForSecondFactor(
    user: Pick<User, 'id' | 'totpEnabledAt'>,
    amr: readonly string[],
    tx: EntityManager,
  ): Promise<boolean> {
    if (hasShownSecondFactor(amr)) return false;
    return user.totpEnabledAt !== null || this.passkeys.hasAny(user.id, tx);
  }

  /** Whether the user has no passkey for this address, and has not answered “Not now” in the last 30 days. */
  isPasskeyOfferDue({ id }: Pick<User, 'id'>): Promise<boolean> {
    return this.passkeys.isOfferDue(id);
  }

  /** See {@link clientAsFor}. */
  clientFor({ id }: Pick<User, 'id'>, client: RegisteredClient): Promise<RegisteredClient> {
    return clientAsFor({ listPolicies: () => this.enrollment.listPolicies(id) }, client);
  }

  private readFacts(
    user: Pick<User, 'id' | 'isActive' | 'totpEnabledAt'>,
    client: RegisteredClient,
    shown: readonly string[],
    tx?: EntityManager,
  ): Promise<{ facts: EntryFacts; roles: readonly string[] }> {
    return readEntryFacts(this.entrant(user, tx), client, shown, this.settings.requireAdmin2fa);
  }

  /** Reads each fact only when it is needed: most sign-ins need one statement. */
  private entrant(user: Pick<User, 'id' | 'isActive' | 'totpEnabledAt'>, tx?: EntityManager): Entrant {
    return {
      user,
      readAdmission: (client) => this.enrollment.readAdmission(user, client, tx),
      listPolicies: () => this.enrollment.listPolicies(user.id, tx),
      hasPasskey: (tenant) => this.passkeys.has(user.id, tenant, tx),
      guardsAccount: () => this.passkeys.guardsAccount(user.id, tx),
      hasOtherCredentials: () => this.passkeys.hasOtherCredentials(user.id, tx),
    };
  }

  /**
   * Whether the app requires a second factor of every user. {@link judge} may require one of administrators in other
   * cases, too.
   */
  demandsSecondFactor(client: RegisteredClient): boolean {
    return demandsSecondFactor(client, this.settings.requireAdmin2fa);
  }

  /**
   * Called in the transaction that issues the tokens or the authorization code. Decides again, because the user may
   * have been suspended or removed, or the app switched off, since the last decision. The enrollment is locked and does
   * not change until the commit.
   * @param held proof of the same version of the account as `user`
   * @param request at the account page, `client` only gives the page its look: the user may be no member of it
   * @returns the user's roles in the app; empty for the account page
   * @throws EntryRefused
   */
  async enter(
    tx: EntityManager,
    ctx: RequestContext,
    held: HeldProof,
    { user, client, amr, via }: EntryRequest,
  ): Promise<readonly string[]> {
    await this.users.touchLogin(tx, held.userId);
    const isAtApp = via !== 'account';
    if (isAtApp) await this.enrollment.touchLogin(tx, held.userId, client.app.id);
    const { verdict, roles } = isAtApp
      ? await this.judge(user, client, amr, tx)
      : { verdict: await this.judgeForAccount(user, amr, tx), roles: [] };
    if (verdict !== 'enter') throw new EntryRefused(verdict);
    await this.audit.record(tx, actingAs(ctx, user, client), 'user.login', {
      userId: user.id,
      ...(isAtApp ? { tenantId: client.app.tenantId, appId: client.app.id } : {}),
      metadata: { via, amr: publishedAmr(amr) },
    });
    return roles;
  }

  /**
   * In the transaction that ends the sign-in with the refusal. A refusal that ends nothing can be repeated: see
   * `AuditedDenials.recordSignIn`.
   */
  recordRefusal(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    client: RegisteredClient,
    reason: string,
  ): Promise<void> {
    const { tenantId, id: appId } = client.app;
    const subject = { userId: user.id, tenantId, appId, outcome: 'denied', metadata: { reason } } as const;
    return this.audit.record(tx, ctx, 'user.login_failed', subject);
  }
}

/** The context of the request with the identified user as its actor. */
export function actingAs(ctx: RequestContext, user: User, { app }: RegisteredClient): RequestContext {
  const { id: userId, email } = user;
  return { ...ctx, actor: { type: 'user', userId, email, audience: app.id, viaApp: null, authority: NO_AUTHORITY } };
}
