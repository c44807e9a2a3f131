import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory, type KnownApp } from '../../apps/app-directory.js';
import { appBrand } from '../../apps/app-brand.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Transactions } from '../../database/transactions.js';
import { EnrollmentService } from '../../enrollment/enrollment.service.js';
import { EntryCache } from '../../enrollment/entry-cache.js';
import { MailService } from '../../mail/mail.service.js';
import { RefreshTokensService } from '../../tokens/grants/refresh-tokens.service.js';
import { TenantAdminChanges } from '../tenant-admins/tenant-admin-changes.service.js';
import { PeopleAccess } from './people-access.service.js';

/** Written down in the transaction of an act, before the act: both or neither. */
export type InSameTransaction = (tx: EntityManager) => Promise<void>;

const NOTHING: InSameTransaction = () => Promise.resolve();

/** What administrators do with a user's place in one app: roles, the states of an enrollment, its end. */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly access: PeopleAccess,
    private readonly enrollment: EnrollmentService,
    private readonly refreshTokens: RefreshTokensService,
    private readonly news: TenantAdminChanges,
    private readonly entries: EntryCache,
    private readonly directory: AppDirectory,
    private readonly mails: MailService,
    private readonly transactions: Transactions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Replaces the roles in one app; enrols a visible user who is not enrolled. @returns the roles now */
  setRoles(ctx: RequestContext, userId: string, appId: string, roles: readonly string[]): Promise<string[]> {
    return this.change(userId, async (tx) => {
      const { app, user, governed } = await this.access.memberToChange(tx, ctx, userId, appId);
      const isNew = (await this.enrollment.find(userId, appId, tx)) === null;
      const now = await this.enrollment.setRoles(tx, ctx, userId, app, roles);
      if (governed && isNew)
        await this.news.added(tx, ctx, { tenant: governed, console: app, userId, email: user.email });
      return now;
    });
  }

  /** Every refresh token of the user in that app dies with it. */
  suspend(ctx: RequestContext, userId: string, appId: string, alongside = NOTHING): Promise<void> {
    return this.change(userId, async (tx) => {
      await alongside(tx);
      const { app } = await this.access.memberToChange(tx, ctx, userId, appId);
      await this.enrollment.suspend(tx, ctx, userId, app);
      await this.refreshTokens.revokeAll(tx, userId, appId, 'suspended');
    });
  }

  reactivate(ctx: RequestContext, userId: string, appId: string, alongside = NOTHING): Promise<void> {
    return this.change(userId, async (tx) => {
      await alongside(tx);
      const { app } = await this.access.memberToChange(tx, ctx, userId, appId);
      await this.enrollment.reactivate(tx, ctx, userId, app);
    });
  }

  /**
   * Lets in who asked for access, and mails them so.
   * @returns whether the address by which they were judged is proven
   * @throws EnrollmentNotFound, ForbiddenTransition
   */
  async approve(
    ctx: RequestContext,
    userId: string,
    appId: string,
    alongside = NOTHING,
  ): Promise<{ emailVerified: boolean }> {
    const known = await this.directory.find(appId);
    return this.change(userId, async (tx) => {
      await alongside(tx);
      const { app, user } = await this.access.memberToChange(tx, ctx, userId, appId);
      await this.enrollment.approve(tx, ctx, userId, app);
      const { emailVerified } = user;
      if (!known) return { emailVerified };
      const mail = { template: 'approved', to: user.email, brand: appBrand(known), holdsFor: null } as const;
      const model = { link: this.signInLink(known) };
      await this.mails.send(tx, { ...mail, replyTo: known.tenant.supportEmail, model }, null);
      return { emailVerified };
    });
  }

  /** @throws EnrollmentNotFound, ForbiddenTransition */
  deny(ctx: RequestContext, userId: string, appId: string, alongside = NOTHING): Promise<void> {
    return this.change(userId, async (tx) => {
      await alongside(tx);
      const { app } = await this.access.memberToChange(tx, ctx, userId, appId);
      await this.enrollment.deny(tx, ctx, userId, app);
    });
  }

  /** Whatever the state. Their tokens for the app die with it. @throws CannotRemoveYourself, EnrollmentNotFound */
  remove(ctx: RequestContext, userId: string, appId: string, alongside = NOTHING): Promise<void> {
    return this.change(userId, async (tx) => {
      await alongside(tx);
      const { app, governed } = await this.access.memberToChange(tx, ctx, userId, appId);
      await this.enrollment.remove(tx, ctx, userId, app);
      await this.refreshTokens.revokeAll(tx, userId, appId, 'removed');
      if (governed) await this.news.removed(tx, ctx, { tenant: governed, console: app, userId });
    });
  }

  /** The next request of this process must not meet a remembered enrollment. */
  private async change<T>(userId: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const done = await this.transactions.run(work);
    this.entries.forget(userId);
    return done;
  }

  /** The hosted page, never the redirect URI itself: that one awaits a code. Null where none is registered. */
  private signInLink({ app, redirectUris }: KnownApp): string | null {
    const [first] = redirectUris;
    if (first === undefined) return null;
    return `${this.settings.baseUrl}/login?app_id=${app.id}&redirect_uri=${encodeURIComponent(first)}`;
  }
}
