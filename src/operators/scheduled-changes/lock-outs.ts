import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/apps.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { AppMembers } from '../../enrollment/app-members.js';
import { ChangeEffects, type Proposal } from '../../previews/change-effects.js';
import { type DraftedChange, DraftedChanges } from '../../previews/drafted-changes.js';
import type { ChangeSubject } from './change-targets.js';

export interface LockOut {
  /** The planner could no longer enter one of the apps. */
  readonly locksPlannerOut: boolean;
  /** No administrator of the tenant could enter the console any more. */
  readonly locksAdminsOut: boolean;
}

/** Whom of those who could undo a change it would lock out: by the rules of sign-in, however many members there are. */
@Injectable()
export class LockOuts {
  constructor(
    private readonly drafts: DraftedChanges,
    private readonly effects: ChangeEffects,
    private readonly apps: AppsService,
    private readonly members: AppMembers,
  ) {}

  /** @param plannerId null: a service, which does not sign in */
  async judge(ctx: RequestContext, subject: ChangeSubject, plannerId: string | null): Promise<LockOut> {
    const draft = await this.drafts.of(ctx, subject);
    const planner = plannerId === null ? NO_ONE : await this.shutOut(draft, [plannerId]);
    const isSwitchedOff = subject.input.is_active === false;
    // That those of the tenant stay outside is what switching it off means.
    return { locksPlannerOut: planner.size > 0, locksAdminsOut: !isSwitchedOff && (await this.ofAllAdmins(draft)) };
  }

  private async ofAllAdmins(draft: DraftedChange): Promise<boolean> {
    const console = await this.apps.getPlatformConsole();
    const clients = draft.clients.filter(({ before }) => before.app.id === console.id);
    if (draft.tenantId === null || clients.length === 0) return false;
    const { id } = await this.apps.getConsole(draft.tenantId);
    const admins = (await this.members.listActive(null, id)).map(({ userId }) => userId);
    const shutOut = await this.shutOut({ ...draft, clients }, admins);
    return admins.length > 0 && shutOut.size === admins.length;
  }

  private async shutOut(draft: Proposal, userIds: readonly string[]): Promise<ReadonlySet<string>> {
    // They are looked at instead of all whom the change concerns.
    const clients = draft.clients.map(({ before, after }) => ({ before, after }));
    const found = new Set<string>();
    for await (const { affected } of this.effects.walk({ ...draft, clients, userIds }, true))
      for (const { effect, userId } of affected) if (effect === 'shut_out') found.add(userId);
    return found;
  }
}

const NO_ONE: ReadonlySet<string> = new Set();
