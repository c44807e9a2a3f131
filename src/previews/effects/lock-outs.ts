import { Injectable } from '@nestjs/common';
import type { App } from '../../apps/app/app.entity.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { EVERYTHING } from '../../auth/entry/visibility.js';
import type { RequestContext } from '../../common/request-context.js';
import { AppMembers } from '../../enrollment/members/app-members.js';
import { UsersService } from '../../users/users.service.js';
import { ChangeEffects } from './change-effects.js';
import type { ClientChange, Proposal } from '../proposals/proposal.js';
import { type DraftedChange, DraftedChanges } from '../proposals/drafted-changes.js';
import type { PreviewSubject } from '../proposals/preview-subject.js';

export interface LockOut {
  /** Whether the planner could no longer enter one of the apps. */
  readonly locksPlannerOut: boolean;
  /** Whether no administrator of the tenant could enter the console any more. */
  readonly locksAdminsOut: boolean;
}

/**
 * The app from which a planner administers. Losing access to other apps does not prevent them from undoing a change.
 */
export interface PlannerApp {
  /** The app of their token or session. */
  readonly audience: string | null;
}

/**
 * Determines which of the users who could undo a change it would lock out, by the rules of sign-in, for any number of
 * members.
 */
@Injectable()
export class LockOuts {
  constructor(
    private readonly drafts: DraftedChanges,
    private readonly effects: ChangeEffects,
    private readonly apps: AppsService,
    private readonly members: AppMembers,
    private readonly users: UsersService,
  ) {}

  /**
   * @param plannerId null: a service, which does not sign in
   * @param plannerApp absent: any app counts; otherwise Console apps and this app
   */
  async judge(
    ctx: RequestContext,
    subject: PreviewSubject,
    plannerId: string | null,
    plannerApp?: PlannerApp,
  ): Promise<LockOut> {
    const draft = await this.drafts.of(ctx, subject);
    const isWhere = ({ before: { app } }: ClientChange) =>
      !plannerApp || app.isConsoleApp || app.id === plannerApp.audience;
    const planner = plannerId === null ? NO_ONE : await this.entry(draft, draft.clients.filter(isWhere), [plannerId]);
    return { locksPlannerOut: planner.shutOut > 0, locksAdminsOut: await this.locksAdminsOut(draft, subject) };
  }

  /**
   * Whether no administrator of the tenant could enter the platform's Console any more, and one can now. Switching off
   * the tenant or app is intended to do that, and does not count.
   */
  async locksAdminsOut(draft: DraftedChange, subject: PreviewSubject): Promise<boolean> {
    if (subject.of === 'provider' || subject.input.is_active === false) return false;
    const console = await this.apps.getPlatformConsole();
    const clients = draft.clients.filter(({ before }) => before.app.id === console.id);
    if (draft.tenantId === null || clients.length === 0) return false;
    const admins = await this.adminsOf(draft.tenantId, console);
    // Users who already cannot enter are not shut out by the change, so it matters whether any are left.
    const { shutOut, enter } = await this.entry(draft, clients, admins);
    return shutOut > 0 && enter === 0;
  }

  /** For the platform's own tenant: platform admins. */
  private async adminsOf(tenantId: string, console: App): Promise<string[]> {
    if (tenantId === console.tenantId)
      return (await this.users.listPlatformAdmins()).filter(({ isActive }) => isActive).map(({ id }) => id);
    const { id } = await this.apps.getConsole(tenantId);
    return (await this.members.listActive(null, id)).map(({ userId }) => userId);
  }

  /**
   * Results at these clients. The other clients change as well, because a tenant's requirements for its administrators
   * also apply at the platform's Console.
   */
  private async entry(draft: Proposal, at: readonly ClientChange[], userIds: readonly string[]): Promise<Entry> {
    // Only these users are evaluated, instead of all affected ones.
    const clients = at.map(({ before, after }) => ({ before, after }));
    const proposal = { ...draft, clients, alsoChanged: draft.clients, userIds };
    const found = { shutOut: 0, enter: 0 };
    for await (const { affected, enter } of this.effects.walk(proposal, EVERYTHING)) {
      found.shutOut += affected.filter(({ effect }) => effect === 'shut_out').length;
      found.enter += enter;
    }
    return found;
  }
}

/** Number of users who would be shut out, and who could enter. */
interface Entry {
  readonly shutOut: number;
  readonly enter: number;
}

const NO_ONE: Entry = { shutOut: 0, enter: 0 };
