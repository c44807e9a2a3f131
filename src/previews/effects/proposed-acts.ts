import { Injectable } from '@nestjs/common';
import { MemberAccess } from '../../admin/users/memberships/member-access.service.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import type { App } from '../../apps/app/app.entity.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { canAdministerTenant } from '../../common/actor.js';
import { Refusal } from '../../common/refusal.js';
import type { RequestContext } from '../../common/request-context.js';
import { AppMembers } from '../../enrollment/members/app-members.js';
import type { Enrollment, EnrollmentStatus } from '../../enrollment/enrollments/enrollment.entity.js';
import {
  CannotRemoveYourself,
  EnrollmentNotFound,
  ForbiddenTransition,
} from '../../enrollment/enrollments/enrollment.errors.js';
import {
  isApproval,
  MEMBERSHIP_ACTIONS,
  type MembershipActionName,
} from '../../enrollment/enrollments/membership-actions.js';
import { requireConfirmedApproval } from '../../enrollment/authority/new-authority.rules.js';
import { checkedRoles } from '../../enrollment/authority/offered-roles.rules.js';
import { isHeld } from '../../enrollment/authority/authority.rules.js';
import { MAX_INLINE_MEMBERS } from './change-effects.js';
import type { ClientChange, Proposal } from '../proposals/proposal.js';
import { type EntrantRow, EntrantsRepository, type UsersAtApp } from '../../auth/entry/entrants.repository.js';

/** An action on members of an app. */
export type MembersAct =
  | { readonly act: MembershipActionName; readonly userIds: readonly string[] }
  | { readonly act: 'set_roles'; readonly userIds: readonly string[]; readonly roles: readonly string[] };

/** The enrollment after the action; null: deleted. */
type Outcome = { readonly status: EnrollmentStatus; readonly roles: readonly string[] } | null;

export interface ProposedAct {
  readonly app: App;
  readonly proposal: Proposal;
  /** Users for whom the action would be refused, with the reason. */
  readonly refused: ReadonlyMap<string, Refusal>;
  /** Users whose tokens for the app would end. */
  readonly signedOut: readonly string[];
  /** The users who are no longer active members after the action. */
  readonly leaving: readonly string[];
}

/** Actions on members and accounts with the same checks as the real ones, but without writing anything. */
@Injectable()
export class ProposedActs {
  constructor(
    private readonly access: MemberAccess,
    private readonly members: AppMembers,
    private readonly entrants: EntrantsRepository,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions, InvalidInput */
  async onMembers(ctx: RequestContext, appId: string, change: MembersAct): Promise<ProposedAct> {
    const app = await this.access.app(ctx, appId);
    if (change.act === 'set_roles') checkedRoles(app, change.roles);
    const found = new Map((await this.members.among(appId, change.userIds)).map((each) => [each.userId, each]));
    const outcomes = new Map<string, Outcome>();
    const refused = new Map<string, Refusal>();
    for (const userId of change.userIds) {
      const outcome = outcomeOf(ctx, app, change, found.get(userId) ?? null);
      if (outcome instanceof Error) refused.set(userId, outcome);
      else outcomes.set(userId, outcome);
    }
    const userIds = [...outcomes.keys()];
    const clients = await this.clientsOf(ctx, app, userIds, holdersAfter(outcomes, app));
    const memberAfter = (row: EntrantRow, at: string) => {
      const outcome = outcomes.get(row.userId);
      return outcome === undefined ? row : withOutcome(row, { appId, isHere: at === appId }, outcome);
    };
    const revokes = change.act !== 'set_roles' && MEMBERSHIP_ACTIONS[change.act].revokes !== null;
    return {
      app,
      proposal: { tenantId: app.tenantId, clients, userIds, memberAfter },
      refused,
      signedOut: revokes ? userIds : [],
      leaving: userIds.filter((userId) => outcomes.get(userId)?.status !== 'active'),
    };
  }

  /** Deleting an account, or demoting a platform admin. For platform admins. */
  async onAccount(userId: string, act: 'delete' | 'remove_platform_admin'): Promise<Proposal> {
    const console = await this.apps.getPlatformConsole();
    const memberships = await this.entrants.listMemberships([userId], null, MAX_INLINE_MEMBERS + 1);
    const clients = await this.changesAt([...memberships, { appId: console.id, userIds: [userId] }]);
    const memberAfter = (row: EntrantRow) => ({ ...row, isPlatformAdmin: false, ...(act === 'delete' ? NOWHERE : {}) });
    return { tenantId: null, clients, userIds: [userId], memberAfter };
  }

  /**
   * Where the next sign-in of these users may have a different result: at the app and, for operators who administer its
   * tenant, at Consoles and self-registered clients, which app admins may not know of.
   */
  private async clientsOf(
    { actor }: RequestContext,
    app: App,
    userIds: readonly string[],
    gaining: readonly string[],
  ): Promise<Proposal['clients']> {
    const here = { appId: app.id, userIds };
    if (!canAdministerTenant(actor, app.tenantId)) return this.changesAt([here]);
    const console = await this.apps.getPlatformConsole();
    const memberships = await this.entrants.listMemberships(userIds, app.tenantId, MAX_INLINE_MEMBERS + 1);
    const holders = await this.entrants.listHolding(userIds, console.id);
    const atConsole = { appId: console.id, userIds: [...new Set([...holders, ...gaining])] };
    return this.changesAt([here, ...memberships, atConsole]);
  }

  /** @param memberships the first entry of an app counts */
  private async changesAt(memberships: readonly UsersAtApp[]): Promise<ClientChange[]> {
    const seen = new Set<string>();
    const changes: ClientChange[] = [];
    for (const { appId, userIds } of memberships) {
      if (seen.has(appId) || userIds.length === 0) continue;
      seen.add(appId);
      const client = await this.directory.findOfAnyOrigin(appId);
      if (client) changes.push({ before: client, after: client, whom: userIds });
    }
    return changes;
  }
}

const NOWHERE = { status: null, roles: null, memberships: [], inactiveAt: [] };

/** Users to whom the action gives authority. */
function holdersAfter(outcomes: ReadonlyMap<string, Outcome>, { isConsoleApp }: App): string[] {
  return [...outcomes].flatMap(([userId, outcome]) => {
    const isHolder = outcome?.status === 'active' && isHeld({ is_console: isConsoleApp, roles: outcome.roles });
    return isHolder ? [userId] : [];
  });
}

/** The result of the action as decided by `EnrollmentService`, or its refusal. */
function outcomeOf(
  ctx: RequestContext,
  app: App,
  change: MembersAct,
  enrollment: Enrollment | null,
): Outcome | Refusal {
  if (!enrollment) return new EnrollmentNotFound();
  const { actor } = ctx;
  const isOwn = actor.type === 'user' && actor.userId === enrollment.userId;
  if (change.act === 'set_roles') {
    const roles = checkedRoles(app, change.roles);
    const givesUp = isOwn && enrollment.roles.includes('admin') && !roles.includes('admin');
    return givesUp ? new CannotRemoveYourself() : { status: enrollment.status, roles };
  }
  const action = MEMBERSHIP_ACTIONS[change.act];
  const { from, to, toOneself } = action;
  if (isOwn && toOneself === 'never') return new CannotRemoveYourself();
  if (from !== null && enrollment.status !== from) return new ForbiddenTransition(`Enrollment is not ${from}`);
  // A preview through the API is not asked for a sign-in, and does not judge it.
  const isUnconfirmed = isApproval(action) && ctx.signedInRecently === false;
  const refusal = isUnconfirmed ? refusalOf(() => requireConfirmedApproval(ctx, app, enrollment.roles)) : null;
  return refusal ?? (to && { status: to, roles: enrollment.roles });
}

function refusalOf(check: () => void): Refusal | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function withOutcome(
  row: EntrantRow,
  { appId, isHere }: { appId: string; isHere: boolean },
  outcome: Outcome,
): EntrantRow {
  const others = row.memberships.filter((each) => each.appId !== appId);
  const inactiveAt = row.inactiveAt.filter((each) => each.appId !== appId);
  const roles = outcome ? [...outcome.roles] : null;
  return {
    ...row,
    ...(isHere ? { status: outcome?.status ?? null, roles } : {}),
    memberships: outcome?.status === 'active' && roles ? [...others, { appId, roles }] : others,
    inactiveAt: outcome && outcome.status !== 'active' && roles ? [...inactiveAt, { appId, roles }] : inactiveAt,
  };
}
