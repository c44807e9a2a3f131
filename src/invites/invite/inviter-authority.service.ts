import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import type { App } from '../../apps/app/app.entity.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import type { Invite } from './invite.entity.js';
import { dependsOnInviter, judgeInviter } from './invite.rules.js';
import { InviteLapsed } from './invites.errors.js';
import type { InviteNow } from './invites.repository.js';

/** Whether users may still give what the invites that they made give (docs/decisions/0070). */
@Injectable()
export class InviterAuthority {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * It stays so until the transaction ends: a change that takes authority from the user waits for it, or was first.
   * Before the invite is locked: an account that is deleted is locked first and its invites then.
   * @throws InviteLapsed
   */
  async hold(tx: EntityManager, invite: Invite, app: App, userId: string): Promise<void> {
    if (!dependsOnInviter(app, invite.roles)) return;
    const inviter = invite.createdBy ? await this.enrollment.holdUserAuthority(tx, invite.createdBy) : null;
    if (judgeInviter(invite, app, inviter) === 'forbidden') throw lapsed(invite, app.tenantId, userId);
  }

  /** The usable ones among them that no longer are have the status `lapsed`. */
  async judge(invites: readonly InviteNow[], tx?: EntityManager): Promise<InviteNow[]> {
    const apps = new Map<string, App | undefined>();
    for (const { invite, status } of invites)
      if (status === 'usable') apps.set(invite.appId, (await this.directory.find(invite.appId))?.app);
    const isInDoubt = ({ invite, status }: InviteNow): boolean => {
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

  /** @param userId who wants to use it; null: not known */
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
