import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { administers, WHOLE_SCOPE } from '../../../common/actor.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import { CommonPasswords } from '../../../users/passwords/common-passwords.js';
import { judgePassword, strictestMinimum } from '../../../users/passwords/password.rules.js';
import {
  PasswordBreached,
  PasswordTooCommon,
  PasswordTooGuessable,
  PasswordTooShort,
} from '../../../users/users.errors.js';
import {
  guessableWords,
  judgeWeakness,
  strictestWeakPolicy,
  type Weakness,
} from '../../../users/passwords/weak-password.rules.js';
import { BreachedPasswords } from './breached-passwords.js';

/** The owner of the password. */
export interface PasswordOwner {
  /** Null for an account that is being created. */
  readonly userId: string | null;
  readonly email: string;
  /** Null if it is not set. */
  readonly displayName: string | null;
  /** For an account that is being created: whether it becomes a platform admin. */
  readonly becomesPlatformAdmin?: boolean;
}

/** The app at which it is set, if there is one. */
export type PasswordTarget = Pick<RegisteredClient, 'tenant'> & {
  readonly app: { readonly name: string; readonly isConsoleApp: boolean };
};

/** Metadata for the audit entry of the action: the password is weak, if the policy is to record it. */
export type PasswordRemark = { readonly weak_password?: true };

const REFUSALS = { common: PasswordTooCommon, context: PasswordTooGuessable, breached: PasswordBreached } as const;

/**
 * The strictest policy of the tenants in which a user is an active member, and of the tenant of the app at which the
 * password is set. Tenants that are switched off do not count. Members who are suspended or wait for approval do not count
 * either, because they cannot leave the tenant: a password that they have set meanwhile stays when they become active,
 * like the password of any user who joins. Code that stores a new password must call this first; a test checks every
 * caller of `UsersService.hashPassword`.
 */
@Injectable()
export class PasswordPolicyService {
  constructor(
    private readonly enrollment: EnrollmentService,
    private readonly tenants: TenantsService,
    private readonly common: CommonPasswords,
    private readonly breached: BreachedPasswords,
  ) {}

  /** For the hint next to a field. @param userId null for an account that is being created */
  async minimum(userId: string | null, target: Tenant | null): Promise<number> {
    return minimumOf((await this.memberships(userId, target)).tenants);
  }

  /**
   * @returns metadata for the audit entry of the action
   * @throws PasswordTooShort with the required length; PasswordTooCommon, PasswordTooGuessable, PasswordBreached if a
   * tenant blocks such passwords, and always for administrators of the platform or a tenant
   */
  async check(password: string, owner: PasswordOwner, target: PasswordTarget | null): Promise<PasswordRemark> {
    const { tenants, apps } = await this.memberships(owner.userId, target?.tenant ?? null);
    const minimum = minimumOf(tenants);
    if (judgePassword(password, minimum) === 'too_short') throw new PasswordTooShort(minimum);
    const policy = (await this.isAdministrator(owner, target))
      ? 'block'
      : strictestWeakPolicy(tenants.map((tenant) => tenant.weakPasswords));
    if (policy === 'off') return {};
    const names = [...tenants.map((tenant) => tenant.name), ...apps, ...(target ? [target.app.name] : [])];
    const words = guessableWords(owner.email, names, owner.displayName);
    const weakness = judgeWeakness(password, await this.common.read(), words) ?? (await this.inBreaches(password));
    if (weakness === null) return {};
    if (policy === 'block') throw new REFUSALS[weakness]();
    return { weak_password: true };
  }

  /** Last, because it asks another service. */
  private async inBreaches(password: string): Promise<Weakness | null> {
    return (await this.breached.include(password)) ? 'breached' : null;
  }

  /** Now, or with the account or the membership in a tenant's Console app that is being created. */
  private async isAdministrator(owner: PasswordOwner, target: PasswordTarget | null): Promise<boolean> {
    if (owner.becomesPlatformAdmin || (target?.app.isConsoleApp && !target.tenant.isPlatform)) return true;
    const found = owner.userId ? await this.enrollment.findUserAuthority(owner.userId) : null;
    return found !== null && administers(found.authority);
  }

  /** The tenants whose policy applies, and the names of the user's apps. */
  private async memberships(
    userId: string | null,
    target: Tenant | null,
  ): Promise<{ tenants: Tenant[]; apps: string[] }> {
    const all = userId ? await this.enrollment.listOfUser(userId, WHOLE_SCOPE) : [];
    const active = all.filter(({ enrollment }) => enrollment.status === 'active');
    const ids = [...new Set(active.map((each) => each.tenantId))].filter((id) => id !== target?.id);
    const found = ids.length > 0 ? await this.tenants.listByIds(ids) : [];
    const tenants = [...found.filter(({ isActive }) => isActive), ...(target ? [target] : [])];
    const apps = active.filter((each) => !each.isConsoleApp).map((each) => each.appName);
    return { tenants, apps };
  }
}

function minimumOf(tenants: readonly Tenant[]): number {
  return strictestMinimum(tenants.map((tenant) => tenant.minPasswordLength));
}
