import { Injectable } from '@nestjs/common';
import type { App } from '../apps/app.entity.js';
import { AppsService } from '../apps/apps.service.js';
import type { RequestContext } from '../common/request-context.js';
import { AppMembers } from '../enrollment/app-members.js';
import { UsersService } from '../users/users.service.js';
import { ChangeEffects, type ClientChange, type Proposal } from './change-effects.js';
import { type DraftedChange, DraftedChanges } from './drafted-changes.js';
import type { PreviewSubject } from './preview-subject.js';

export interface LockOut {
  /** The planner could no longer enter one of the apps. */
  readonly locksPlannerOut: boolean;
  /** No administrator of the tenant could enter the console any more. */
  readonly locksAdminsOut: boolean;
}

/** The place from which a planner administers: of others, not being able to enter them keeps no one from undoing a change. */
export interface PlannersPlace {
  /** The app that their token or session was for. */
  readonly audience: string | null;
}

/** Whom of those who could undo a change it would lock out: by the rules of sign-in, however many members there are. */
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
   * @param place absent: any app counts. Else Consoles and the app that is named here
   */
  async judge(
    ctx: RequestContext,
    subject: PreviewSubject,
    plannerId: string | null,
    place?: PlannersPlace,
  ): Promise<LockOut> {
    const draft = await this.drafts.of(ctx, subject);
    const isWhere = ({ before: { app } }: ClientChange) => !place || app.isConsoleApp || app.id === place.audience;
    const planner = plannerId === null ? NO_ONE : await this.shutOut(draft, draft.clients.filter(isWhere), [plannerId]);
    return { locksPlannerOut: planner.size > 0, locksAdminsOut: await this.locksAdminsOut(draft, subject) };
  }

  /** No administrator of the tenant could enter the platform's Console any more. That is what switching it off means, and does not count. */
  async locksAdminsOut(draft: DraftedChange, subject: PreviewSubject): Promise<boolean> {
    if (subject.of === 'provider' || subject.input.is_active === false) return false;
    const console = await this.apps.getPlatformConsole();
    const clients = draft.clients.filter(({ before }) => before.app.id === console.id);
    if (draft.tenantId === null || clients.length === 0) return false;
    const admins = await this.adminsOf(draft.tenantId, console);
    const shutOut = await this.shutOut(draft, clients, admins);
    return admins.length > 0 && shutOut.size === admins.length;
  }

  /** Of the platform's own tenant: platform admins. */
  private async adminsOf(tenantId: string, console: App): Promise<string[]> {
    if (tenantId === console.tenantId)
      return (await this.users.listPlatformAdmins()).filter(({ isActive }) => isActive).map(({ id }) => id);
    const { id } = await this.apps.getConsole(tenantId);
    return (await this.members.listActive(null, id)).map(({ userId }) => userId);
  }

  /** At these clients. The others have changed as well: what a tenant demands of its administrators counts at the platform's Console. */
  private async shutOut(
    draft: Proposal,
    at: readonly ClientChange[],
    userIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    // They are looked at instead of all whom the change concerns.
    const clients = at.map(({ before, after }) => ({ before, after }));
    const found = new Set<string>();
    for await (const { affected } of this.effects.walk(
      { ...draft, clients, alsoChanged: draft.clients, userIds },
      true,
    ))
      for (const { effect, userId } of affected) if (effect === 'shut_out') found.add(userId);
    return found;
  }
}

const NO_ONE: ReadonlySet<string> = new Set();
