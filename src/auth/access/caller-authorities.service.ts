import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { asksConsent } from '../../apps/settings/app-config.rules.js';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import {
  type Authority,
  canAdministerApp,
  canAdministerTenant,
  NO_AUTHORITY,
  type UserActor,
} from '../../common/actor.js';
import { CallerCheck } from '../../common/http/caller-check.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { UserAuthority } from '../../enrollment/authority/authority.repository.js';
import { EnrollmentService } from '../../enrollment/memberships/enrollment.service.js';
import { awaitsSecondFactor, hasShownSecondFactor } from '../credentials/second-factor/stored/second-factor.rules.js';
import { cutAuthority, withoutAdministration } from './access.rules.js';
import { LiveSignIns } from './live-sign-ins.js';

/** A user, the app of the request, and the user's current authority with it. */
export interface CallerAuthority {
  readonly user: UserAuthority;
  readonly client: RegisteredClient;
  /**
   * Limited by the app, and without administration if REQUIRE_ADMIN_2FA requires a second factor that is not set up or
   * was not used. None with a sign-in from before the user set up an authenticator app, as in the console.
   */
  readonly authority: Authority;
}

/**
 * The current authority of users, read from the database: at each request, when a scheduled change is due, and at the
 * end of long operations.
 */
@Injectable()
export class CallerAuthorities extends CallerCheck {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly directory: AppDirectory,
    private readonly signIns: LiveSignIns,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  /**
   * Null if the user does not exist, or the app is off or needs consent: no consent allows an app to act in the service
   * as its users. The caller checks whether the account is active.
   * @param amr authentication methods of the sign-in (RFC 8176)
   */
  find(userId: string, appId: string, amr: readonly string[], tx?: EntityManager): Promise<CallerAuthority | null> {
    return this.combine(this.enrollment.findUserAuthority(userId, tx), appId, amr, tx);
  }

  private async combine(
    reading: Promise<UserAuthority | null>,
    appId: string,
    amr: readonly string[],
    tx?: EntityManager,
  ): Promise<CallerAuthority | null> {
    const [user, client] = await Promise.all([reading, this.directory.findOpen(appId, tx)]);
    if (!user || !client || asksConsent(client.app)) return null;
    const held = this.authorityWith(amr, user);
    const authority = cutAuthority(held, { appId: client.app.id, isConsole: client.app.isConsoleApp });
    return { user, client, authority };
  }

  private authorityWith(amr: readonly string[], user: UserAuthority): Authority {
    if (awaitsSecondFactor(user, amr)) return NO_AUTHORITY;
    const mayAdminister = !this.settings.requireAdmin2fa || (user.hasSecondFactor && hasShownSecondFactor(amr));
    return mayAdminister ? user.authority : withoutAdministration(user.authority);
  }

  /**
   * For operations that take long: checks that the user still has all of the authority with which the operation began.
   * After a change of credentials, or the end of the access token's sign-in or the console session, they have none.
   * While they impersonate, it is the authority of the impersonated tenant's or app's admin, and they themselves must
   * still administer that tenant or app.
   * @param tx prevents changes until this transaction ends
   * @throws InsufficientPermissions
   */
  override async checkUnchanged({ actor }: Pick<RequestContext, 'actor'>, tx?: EntityManager): Promise<void> {
    if (actor.type !== 'user') return;
    const { userId } = actor;
    const reading = tx ? this.enrollment.holdUserAuthority(tx, userId) : this.enrollment.findUserAuthority(userId);
    const now = await this.combine(reading, actor.audience, actor.amr ?? [], tx);
    const isSame = now?.user.isActive && now.user.credentialsVersion === actor.credentialsVersion;
    if (!isSame || !(await this.covers({ ...actor, authority: now.authority }, actor.authority, tx)))
      throw new InsufficientPermissions();
    // Locked after the user, as everywhere.
    if (!(await this.signIns.isAlive(actor, tx))) throw new InsufficientPermissions();
  }

  /**
   * Passes on each piece of a file only if its reader still has the authority, because a file can be read for a quarter
   * of an hour. Checked after the piece is read.
   * @throws InsufficientPermissions: the file must not look complete
   */
  async *watch<Piece>(ctx: RequestContext, pieces: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
    let isFirst = true;
    for await (const piece of pieces) {
      if (!isFirst) await this.checkUnchanged(ctx);
      isFirst = false;
      yield piece;
    }
  }

  private async covers(
    now: UserActor,
    { platform, tenants, appsAdministered, appsManaged }: Authority,
    tx?: EntityManager,
  ): Promise<boolean> {
    if (now.authority.platform) return true;
    if (platform || ![...tenants].every((id) => canAdministerTenant(now, id))) return false;
    for (const id of appsAdministered) if (!(await this.governs(now, id, tx))) return false;
    for (const id of appsManaged)
      if (!now.authority.appsManaged.has(id) && !(await this.governs(now, id, tx))) return false;
    return true;
  }

  private async governs(now: UserActor, appId: string, tx?: EntityManager): Promise<boolean> {
    if (now.authority.appsAdministered.has(appId)) return true;
    const client = await this.directory.findOfAnyOrigin(appId, tx);
    return client !== null && canAdministerApp(now, client.app);
  }
}
