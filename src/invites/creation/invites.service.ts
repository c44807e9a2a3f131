import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { App } from '../../apps/app/app.entity.js';
import { AppNotFound } from '../../apps/app/apps.errors.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import { AuditService } from '../../audit/audit.service.js';
import type { AuditAction } from '../../audit/entries/audit-action.js';
import { authorityOf } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { MembershipChanges } from '../../enrollment/memberships/membership-changes.service.js';
import { InviteMaker, type InviteTerms } from './invite-maker.js';
import type { Invite } from '../invite/invite.entity.js';
import { governsInvites, judgeInviting, managesApp, maySeeInvite } from '../invite/invite.rules.js';
import type { ShownInvite } from '../invite/invite.view.js';
import { InviteExhausted, InviteNotFound } from '../invite/invites.errors.js';
import { type InviteWithStatus, InvitesRepository } from '../invite/invites.repository.js';

const DEFAULT_DAYS = 7;

export interface InviteInput {
  readonly roles?: readonly string[];
  readonly send_to_email?: string | null;
  readonly max_uses?: number;
  readonly expires_days?: number;
}

/** Administration of invites. {@link InviteRedemption} redeems them. */
@Injectable()
export class InvitesService {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly maker: InviteMaker,
    private readonly apps: AppsService,
    private readonly changes: MembershipChanges,
    private readonly audit: AuditService,
  ) {}

  /** @throws AppNotFound, InsufficientPermissions, InvalidInput for a role that the app does not offer, RateLimited, ReauthenticationRequired */
  async create(ctx: RequestContext, appId: string, input: InviteInput): Promise<ShownInvite> {
    if (input.send_to_email) await this.maker.countMail(ctx, await this.termsOf(ctx, appId, input));
    return this.changes.run({ ctx, appId }, (tx) => this.createCounted(tx, ctx, appId, input));
  }

  /** As {@link create}, in a transaction that has found out that an invite is needed, and counts its mail. */
  async createIn(tx: EntityManager, ctx: RequestContext, appId: string, input: InviteInput): Promise<ShownInvite> {
    await this.maker.countMail(ctx, await this.termsOf(ctx, appId, input, tx));
    return this.createCounted(tx, ctx, appId, input);
  }

  /** Newest first, with the total. App managers see only invites for the role `user`. */
  async list(
    ctx: RequestContext,
    appId: string,
    page: { limit: number; page: number },
  ): Promise<{ invites: ShownInvite[]; total: number }> {
    const app = await this.getApp(ctx, appId);
    const { invites, total } = await this.invites.list(app.id, !governsInvites(ctx.actor, app), page);
    return {
      invites: await this.maker.show(
        ctx,
        invites.map((now) => ({ app, now })),
      ),
      total,
    };
  }

  /**
   * An app whose invites the caller may see. @throws AppNotFound (for platform admins only), InsufficientPermissions
   */
  getApp(ctx: RequestContext, appId: string): Promise<App> {
    const { actor } = ctx;
    return this.appFor(ctx, appId, (app) => governsInvites(actor, app) || managesApp(actor, app));
  }

  /** @throws InviteNotFound, also for an invite outside the caller's authority */
  async get(ctx: RequestContext, id: string): Promise<ShownInvite> {
    const found = await this.invites.find(id);
    const app = found && (await this.apps.find(found.invite.appId));
    if (!app || !maySeeInvite(ctx.actor, app, found.invite.roles)) throw new InviteNotFound();
    return this.shown(ctx, app, found);
  }

  /** Id of the invite's app, without a check of the caller; null if there is no such invite. */
  async appOf(id: string): Promise<string | null> {
    return (await this.invites.find(id))?.invite.appId ?? null;
  }

  /** Ends the remaining uses. Does nothing if the invite is exhausted. @throws InviteNotFound, RateLimited */
  async revoke(ctx: RequestContext, id: string): Promise<ShownInvite> {
    return this.change(ctx, id, async (tx) => {
      const { app, invite } = await this.governed(ctx, id, tx);
      if (await this.invites.exhaust(tx, id)) await this.record(tx, ctx, 'invite.revoked', app, invite);
      return this.shown(ctx, app, (await this.invites.find(id, tx))!);
    });
  }

  /**
   * Creates a new invite with the remaining uses, and mails it if it has an address; the old one becomes exhausted.
   * @throws InviteNotFound, RateLimited, InviteExhausted if no use remains: a revoked invite never becomes valid again
   */
  async resend(
    ctx: RequestContext,
    id: string,
    input: Pick<InviteInput, 'send_to_email' | 'expires_days'>,
  ): Promise<ShownInvite> {
    await this.countResent(ctx, id, input.send_to_email ?? null);
    return this.change(ctx, id, async (tx) => {
      const { app, invite } = await this.governed(ctx, id, tx);
      const left = invite.maxUses - invite.useCount;
      if (!(await this.invites.exhaust(tx, id))) throw new InviteExhausted();
      const created = await this.maker.make(tx, ctx, {
        app,
        roles: invite.roles,
        maxUses: left,
        days: input.expires_days ?? DEFAULT_DAYS,
        email: input.send_to_email ?? invite.email,
        madeActingBy: whoActs(ctx) ?? invite.madeActingBy,
      });
      const { email } = created.invite;
      await this.record(tx, ctx, 'invite.resent', app, created.invite, { replaces: id, email });
      return created;
    });
  }

  private async change<T>(ctx: RequestContext, id: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const appId = await this.appOf(id);
    return this.changes.run(appId === null ? null : { ctx, appId }, work);
  }

  private async countResent(ctx: RequestContext, id: string, email: string | null): Promise<void> {
    const { app, invite } = await this.governed(ctx, id);
    if (invite.useCount < invite.maxUses)
      await this.maker.countMail(ctx, { app, roles: invite.roles, email: email ?? invite.email });
  }

  private async createCounted(
    tx: EntityManager,
    ctx: RequestContext,
    appId: string,
    input: InviteInput,
  ): Promise<ShownInvite> {
    const terms = await this.termsOf(ctx, appId, input, tx);
    const created = await this.maker.make(tx, ctx, terms);
    const { maxUses, email } = created.invite;
    const metadata = { roles: terms.roles, max_uses: maxUses, email };
    await this.record(tx, ctx, 'invite.created', terms.app, created.invite, metadata);
    return created;
  }

  private async termsOf(
    ctx: RequestContext,
    appId: string,
    input: InviteInput,
    tx?: EntityManager,
  ): Promise<InviteTerms> {
    const roles = input.roles?.length ? input.roles : ['user'];
    const app = await this.appFor(ctx, appId, (each) => judgeInviting(ctx.actor, each, roles) === 'allowed', tx);
    const index = roles.findIndex((role) => !app.config.available_roles.includes(role));
    if (index >= 0)
      throw new InvalidInput([{ loc: ['body', 'roles', index], msg: 'Role is not offered by this app', type: 'enum' }]);
    return {
      app,
      roles,
      maxUses: input.max_uses ?? 1,
      days: input.expires_days ?? DEFAULT_DAYS,
      email: input.send_to_email ?? null,
      madeActingBy: whoActs(ctx),
    };
  }

  /** An app for which the caller may do this. @throws AppNotFound (for platform admins only) */
  private async appFor(
    ctx: RequestContext,
    appId: string,
    isAllowed: (app: App) => boolean,
    tx?: EntityManager,
  ): Promise<App> {
    const app = await this.apps.get(appId, tx).catch((error: unknown) => {
      if (error instanceof AppNotFound && !authorityOf(ctx.actor).platform) throw new InsufficientPermissions();
      throw error;
    });
    if (!isAllowed(app)) throw new InsufficientPermissions();
    return app;
  }

  private async shown(ctx: RequestContext, app: App, now: InviteWithStatus): Promise<ShownInvite> {
    return (await this.maker.show(ctx, [{ app, now }]))[0]!;
  }

  /** @param tx locks the invite */
  private async governed(ctx: RequestContext, id: string, tx?: EntityManager): Promise<{ app: App; invite: Invite }> {
    const found = await (tx ? this.invites.findForUpdate(tx, id) : this.invites.find(id));
    const app = found && (await this.apps.get(found.invite.appId, tx));
    if (!app || !governsInvites(ctx.actor, app)) throw new InviteNotFound();
    return { app, invite: found.invite };
  }

  private record(
    tx: EntityManager,
    ctx: RequestContext,
    action: AuditAction,
    app: App,
    invite: Invite,
    metadata: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const target = { type: 'invite', id: invite.id };
    return this.audit.record(tx, ctx, action, { tenantId: app.tenantId, appId: app.id, target, metadata });
  }
}

/** The operator of an invite that is created while impersonating. */
function whoActs({ actor, actingAs }: RequestContext): string | null {
  return actingAs && actor.type === 'user' ? actor.userId : null;
}
