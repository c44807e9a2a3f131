import { Injectable } from '@nestjs/common';
import type { AppOrigin } from '../../apps/app/app-origin.rules.js';
import { type Actor, authorityOf } from '../../common/actor.js';
import type { RequestContext } from '../../common/request-context.js';
import { foldedEmail } from '../../common/validation/email.rules.js';
import { type FoundUsers, VisibleUsers } from '../../enrollment/users/visible-users.service.js';
import { InviteListRepository, type ListedInvite } from './invite-list.repository.js';
import type { InviteFilter, InviteScope } from './invite-list.query.js';
import { InviteMaker } from '../creation/invite-maker.js';
import { governsInvites } from '../invite/invite.rules.js';
import type { ShownInvite } from '../invite/invite.view.js';
import { InvitesRepository } from '../invite/invites.repository.js';

/** An invite in the list of all apps. */
export interface InviteOfApp extends ShownInvite {
  readonly app: {
    readonly id: string;
    readonly name: string;
    readonly tenantId: string;
    readonly tenantName: string;
    readonly isConsoleApp: boolean;
    readonly origin: AppOrigin;
  };
  /** Whether the caller may revoke and resend it. */
  readonly isGoverned: boolean;
}

/** The invites to all apps to which the caller can invite. */
@Injectable()
export class InviteList {
  constructor(
    private readonly list: InviteListRepository,
    private readonly invites: InvitesRepository,
    private readonly maker: InviteMaker,
    private readonly visibleUsers: VisibleUsers,
  ) {}

  /**
   * Newest first. For apps that the caller manages, only invites for the role `user`.
   * @param search part of the address, or the name or id of a user with this address, if the caller may see them
   */
  async page(
    ctx: RequestContext,
    { search, ...filter }: Omit<InviteFilter, 'scope' | 'mailedTo'> & { readonly search: string },
  ): Promise<{ invites: InviteOfApp[]; hasMore: boolean; isCut: boolean }> {
    const { actor } = ctx;
    const users = search ? await this.visibleUsers.find(ctx, search) : NO_USERS;
    const mailedTo = search && {
      text: foldedEmail(search),
      emails: users.users.map(({ emailCanonical }) => emailCanonical),
    };
    const found = await this.list.list({ ...filter, ...(mailedTo ? { mailedTo } : {}), scope: inviteScope(actor) });
    const page = found.slice(0, filter.limit);
    const stored = await this.invites.listByIds(page.map(({ id }) => id));
    const appOf = new Map(page.map((row) => [row.id, listedApp(row)]));
    const shown = await this.maker.show(
      ctx,
      stored.map((now) => ({ app: appOf.get(now.invite.id)!, now })),
    );
    const known = new Map(shown.map((each) => [each.invite.id, each]));
    const invites = page.flatMap(({ id }) => {
      const [now, app] = [known.get(id), appOf.get(id)!];
      return now ? [{ ...now, app, isGoverned: governsInvites(actor, app) }] : [];
    });
    return { invites, hasMore: found.length > page.length, isCut: users.isCut };
  }
}

const NO_USERS: FoundUsers = { users: [], isCut: false };

function listedApp(row: ListedInvite): InviteOfApp['app'] {
  const {
    app_id: id,
    app_name: name,
    tenant_id: tenantId,
    tenant_name: tenantName,
    is_console_app: isConsoleApp,
    app_origin: origin,
  } = row;
  return { id, name, tenantId, tenantName, isConsoleApp, origin };
}

/** The same rule as `maySeeInvite`, for a list. */
function inviteScope(actor: Actor): InviteScope {
  const { platform, tenants, appsAdministered, appsManaged } = authorityOf(actor);
  return {
    everything: platform,
    tenantIds: [...tenants],
    appIds: [...appsAdministered],
    managedAppIds: [...appsManaged],
  };
}
