import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import type { App } from '../../apps/app/app.entity.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import type { Invite } from './invite.entity.js';
import { dependsOnInviter, judgeInviter } from './invite.rules.js';
import { InviteLapsed } from './invites.errors.js';
import type { InviteWithStatus } from './invites.repository.js';

/** Whether the creators of invites still have the authority to give the roles (docs/decisions/0070). */
@Injectable()
export class InviterAuthority {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * Prevents changes until the transaction ends: a change that removes authority from the creator waits, or has been
   * committed before. Must be called before the invite is locked, because a deletion locks the account before its
   * invites.
   * @throws InviteLapsed
   */
  async hold(tx: EntityManager, invite: Invite, app: App, userId: string): Promise<void> {
    if (!dependsOnInviter(app, invite.roles)) return;
    const inviter = invite.createdBy ? await this.enrollment.holdUserAuthority(tx, invite.createdBy) : null;
    if (judgeInviter(invite, app, inviter) === 'forbidden') throw lapsed(invite, app.tenantId, userId);
  }

  /** Gives usable invites whose creator lost the authority the status `lapsed`. */
  async judge(invites: readonly InviteWithStatus[], tx?: EntityManager): Promise<InviteWithStatus[]> {
    const apps = new Map<string, App | undefined>();
    for (const { invite, status } of invites)
      if (status === 'usable') apps.set(invite.appId, (await this.directory.find(invite.appId, tx))?.app);
    const isInDoubt = ({ invite, status }: InviteWithStatus): boolean => {
      const app = apps.get(invite.appId);
      return status === 'usable' && app !== undefined && dependsOnInviter(app, invite.roles);
    };
    const named = invites.filter(isInDoubt).flatMap(({ invite }) => invite.createdBy ?? []);
    const inviters = await this.enrollment.listUserAuthorities([...new Set(named)], tx);
    return invites.map((each) => {
      if (!isInDoubt(each)) return each;
      const inviter = inviters.get(each.invite.createdBy ?? '') ?? null;
      const verdict = judgeInviter(each.invite, apps.get(each.invite.appId)!, inviter);
      return verdict === 'allowed' ? each : { ...each, status: 'lapsed' };
    });
  }

  /** @param userId of the user who redeems it; null: unknown */
  async refusal(invite: Invite, userId: string | null): Promise<InviteLapsed> {
    const client = await this.directory.find(invite.appId);
    return lapsed(invite, client?.app.tenantId ?? null, userId);
  }
}

function lapsed({ id, appId }: Invite, tenantId: string | null, userId: string | null): InviteLapsed {
  return new InviteLapsed({
    userId,
    tenantId,
    appId,
    target: { type: 'invite', id },
    outcome: 'denied',
    metadata: { reason: 'inviter_lost_authority' },
  });
}
