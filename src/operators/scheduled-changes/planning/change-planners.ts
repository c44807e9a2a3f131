import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { LiveClients } from '../../../apps/directory/live-clients.js';
import { holderOfTokens } from '../../../auth/access/access.rules.js';
import { CallerAuthorities } from '../../../auth/access/caller-authorities.service.js';
import { EntryService } from '../../../auth/entry/entry.service.js';
import type { Actor, ServiceActor, UserActor } from '../../../common/actor.js';
import type { RequestContext } from '../../../common/request-context.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import type { ScheduledChange } from './scheduled-change.entity.js';

/** Scope that a service token needs for the save. */
const SCOPE = 'apps:write';
/**
 * A token is dated in whole seconds, and one that was requested before its secret was replaced may be signed a little
 * later.
 */
const SIGNED_LATER_MS = 1_000;

/**
 * The planner of a change with their current authority: the change is made as if they sent it now, with the credential
 * that they used then.
 */
@Injectable()
export class ChangePlanners {
  constructor(
    private readonly authorities: CallerAuthorities,
    private readonly liveClients: LiveClients,
    private readonly enrollment: EnrollmentService,
    private readonly entry: EntryService,
    private readonly users: UsersService,
  ) {}

  /** Null: the planner could no longer send the request. */
  async identify(change: ScheduledChange, tx?: EntityManager): Promise<RequestContext | null> {
    const actor = change.credential === 'service_token' ? await this.service(change, tx) : await this.user(change, tx);
    return actor && { ...contextOf(change), actor };
  }

  /**
   * Null if the secret or keys were replaced after the token was issued: a change that was planned with a stolen secret
   * must end with the secret.
   */
  private async service(
    { plannedByApp, tokenIssuedAt, createdAt }: ScheduledChange,
    tx?: EntityManager,
  ): Promise<ServiceActor | null> {
    const find = (id: string) => (tx ? this.liveClients.findWithin(tx, id) : this.liveClients.find(id));
    const live = plannedByApp ? await find(plannedByApp) : null;
    if (!live?.mayAct || !live.serviceScopes.includes(SCOPE)) return null;
    const issuedAt = (tokenIssuedAt ?? createdAt).getTime();
    if (live.changedAt !== null && live.changedAt.getTime() + SIGNED_LATER_MS > issuedAt) return null;
    return { type: 'service', appId: plannedByApp!, tenantId: live.tenantId, scopes: new Set([SCOPE]) };
  }

  /**
   * Checks the account, everything that was ended since, and whether the sign-in would still be sufficient, including
   * the second factor for administrators.
   */
  private async user(change: ScheduledChange, tx?: EntityManager): Promise<UserActor | null> {
    const { plannedBy, audience, amr } = change;
    if (!plannedBy || !audience) return null;
    // One after the other: a transaction has one connection.
    const current = await this.authorities.find(plannedBy, audience, amr, tx);
    const user = await this.users.find(plannedBy, tx);
    if (!current?.user.isActive || !user) return null;
    if (await this.isEnded(change, audience, user, current.user.tokensValidFrom, tx)) return null;
    if ((await this.entry.judge(user, current.client, amr, tx)).verdict !== 'enter') return null;
    const { authority } = current;
    const viaApp = holderOfTokens(current.client.app);
    return { type: 'user', userId: plannedBy, email: current.user.email, audience, viaApp, authority, amr };
  }

  /**
   * Whether, since the change was planned, the user was signed out everywhere or from another device, or out of the app
   * that they planned it with (by its admins, or because of a stolen token), or was suspended in or removed from the
   * place of the change. A later reactivation does not restore the change: what an attacker has planned must end with
   * the attack.
   * @param tokensValidFrom in Unix milliseconds
   */
  private async isEnded(
    { createdAt, appId, tenantId }: ScheduledChange,
    audience: string,
    { id, plansValidFrom }: User,
    tokensValidFrom: number,
    tx?: EntityManager,
  ): Promise<boolean> {
    if (tokensValidFrom > createdAt.getTime()) return true;
    if (plansValidFrom !== null && plansValidFrom > createdAt) return true;
    const appIds = [audience, appId].filter((each) => each !== null);
    return this.enrollment.wasEndedSince(id, createdAt, { appIds, tenantId, audience }, tx);
  }
}

/** Context of the work on a scheduled change, for its audit entries. */
export function contextOf({ id }: ScheduledChange): RequestContext {
  const actor: Actor = { type: 'system', name: 'scheduled-changes' };
  return { requestId: `scheduled-change:${id}`, ip: null, userAgent: null, actor };
}
