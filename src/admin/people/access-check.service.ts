import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { AppNotFound } from '../../apps/apps.errors.js';
import { SignInCompletionService } from '../../auth/sign-in-completion.service.js';
import type { RequestContext } from '../../common/request-context.js';
import type { RateLimitLabel } from '../../rate-limits/rate-limit.rules.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { User } from '../../users/user.entity.js';
import { type AccessFacts, checkAccess, type CheckedRule } from './access-check.rules.js';
import { PeopleAccess } from './people-access.service.js';
import { countersOf } from './user-limits.rules.js';

/** Why somebody gets into an app or does not, answered by the rules of sign-in itself. */
@Injectable()
export class AccessCheckService {
  constructor(
    private readonly access: PeopleAccess,
    private readonly directory: AppDirectory,
    private readonly completion: SignInCompletionService,
    private readonly limits: RateLimitsService,
  ) {}

  /** @throws InsufficientPermissions, AppNotFound, UserNotFound */
  async check(ctx: RequestContext, userId: string, appId: string): Promise<CheckedRule[]> {
    const { user } = await this.access.member(ctx, userId, appId);
    const known = await this.directory.find(appId);
    if (!known) throw new AppNotFound();
    const [entry, wait] = await Promise.all([this.completion.listRules(user, known), this.waits(user)]);
    return checkAccess({
      entry,
      wait,
      policy: known.app.registrationPolicy,
      isConsoleApp: known.app.isConsoleApp,
      providers: known.app.config.allowed_providers,
      hasPassword: user.passwordHash !== null,
      hasSecondFactor: user.totpEnabledAt !== null,
      emailVerified: user.emailVerified,
    });
  }

  private async waits(user: User): Promise<AccessFacts['wait']> {
    const counters = countersOf(user);
    const wait = async (label: RateLimitLabel): Promise<number> => {
      const counter = counters.find((each) => each.label === label);
      return counter ? (await this.limits.peek(label, counter.key)).retryAfter : 0;
    };
    const [password, magicLink, secondFactor] = await Promise.all([
      wait('login_email'),
      wait('magic_link'),
      wait('totp'),
    ]);
    return { password, magicLink, secondFactor };
  }
}
