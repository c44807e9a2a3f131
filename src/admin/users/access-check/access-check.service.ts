import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { AppNotFound } from '../../../apps/app/apps.errors.js';
import { allowsMethod } from '../../../auth/entry/methods/allows-method.rules.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { UserLimitLabel } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import type { User } from '../../../users/user.entity.js';
import { KnownEntry } from './known-entry.js';
import { type AccessFacts, checkAccess, type CheckedRule } from './access-check.rules.js';
import { MemberAccess } from '../memberships/member-access.service.js';

/** Why a user can or cannot sign in to an app, evaluated with the rules of sign-in itself. */
@Injectable()
export class AccessCheckService {
  constructor(
    private readonly access: MemberAccess,
    private readonly directory: AppDirectory,
    private readonly limits: RateLimitsService,
    private readonly known: KnownEntry,
  ) {}

  /** @throws InsufficientPermissions, AppNotFound, UserNotFound */
  async check(ctx: RequestContext, userId: string, appId: string): Promise<CheckedRule[]> {
    const { user } = await this.access.member(ctx, userId, appId);
    const client = await this.directory.findOfAnyOrigin(appId);
    if (!client) throw new AppNotFound();
    const [known, waits] = await Promise.all([this.known.read(ctx.actor, user, client), this.waits(user)]);
    return checkAccess({
      ...known,
      ...waits,
      policy: client.app.registrationPolicy,
      isConsoleApp: client.app.isConsoleApp,
      takesPasswords: allowsMethod(client.app, 'password'),
      takesMagicLinks: allowsMethod(client.app, 'magic_link'),
      takesPasskeys: allowsMethod(client.app, 'passkey'),
      hasPassword: user.passwordHash !== null,
      hasSecondFactor: user.totpEnabledAt !== null,
      emailVerified: user.emailVerified,
    });
  }

  private async waits({ id, emailCanonical }: User): Promise<Pick<AccessFacts, 'wait' | 'waitSomewhere'>> {
    const tried = await this.limits.inspect(await this.limits.counting(emailCanonical));
    const everywhere = async (label: UserLimitLabel | 'totp', key: string): Promise<number> =>
      (await this.limits.peek(label, key)).retryAfter;
    const somewhere = (label: UserLimitLabel): number => {
      const exhausted = tried.filter((record) => record.label === label && record.count >= record.points);
      return Math.max(0, ...exhausted.map(({ ttl }) => ttl));
    };
    const [password, magicLink, secondFactor] = await Promise.all([
      everywhere('login_email', emailCanonical),
      everywhere('magic_link', emailCanonical),
      everywhere('totp', id),
    ]);
    return {
      wait: { password, magicLink, secondFactor },
      waitSomewhere: { password: somewhere('login_email'), magicLink: somewhere('magic_link') },
    };
  }
}
