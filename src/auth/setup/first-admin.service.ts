import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { Randomness } from '../../common/randomness.js';
import { type RequestContext, systemContext } from '../../common/request-context.js';
import { isLoopbackHost } from '../../config/loopback.rules.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../crypto/opaque-token.js';
import { Transactions } from '../../database/transactions.js';
import type { User } from '../../users/user.entity.js';
import { WeakPassword } from '../../users/users.errors.js';
import { UsersService } from '../../users/users.service.js';
import {
  type PasswordOwner,
  PasswordPolicyService,
  type PasswordRemark,
} from '../credentials/password/password-policy.service.js';
import { FirstAdminRepository } from './first-admin.repository.js';

const LINK_SECONDS = 7 * 24 * 3600;

export interface FirstAdmin {
  readonly email: string;
  readonly displayName: string;
  readonly password: string;
}

/** The first platform admin: by a one-time link, or from BOOTSTRAP_ADMIN_*. Only while there is none. */
@Injectable()
export class FirstAdminService implements OnApplicationBootstrap {
  private readonly logger = new Logger(FirstAdminService.name);

  constructor(
    private readonly links: FirstAdminRepository,
    private readonly users: UsersService,
    private readonly policy: PasswordPolicyService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const bootstrap = this.settings.bootstrapAdmin;
    if (!bootstrap || (await this.users.platformAdminExists())) return;
    const { email, password } = bootstrap;
    const remark = await this.judgeBootstrapPassword(email, password);
    const passwordHash = await this.users.hashPassword(password);
    const made = await this.transactions.run(async (tx) => {
      await this.links.lock(tx);
      if (await this.users.platformAdminExists(tx)) return false;
      const admin = { email, displayName: 'Administrator', passwordHash, remark };
      await this.insert(tx, systemContext('bootstrap'), admin);
      return true;
    });
    if (made) this.logger.log('The first platform admin was made from BOOTSTRAP_ADMIN_EMAIL');
  }

  /** On a loopback address a weak password is allowed with a warning, like everything else that only suits trying out. */
  private async judgeBootstrapPassword(email: string, password: string): Promise<PasswordRemark> {
    try {
      return await this.policy.check(password, newAdmin(email, null), null);
    } catch (error) {
      if (!(error instanceof WeakPassword) || !isLoopbackHost(new URL(this.settings.baseUrl).hostname)) throw error;
      this.logger.warn(
        'BOOTSTRAP_ADMIN_PASSWORD is easy to guess. Outside a loopback address the service would not start.',
      );
      return { weak_password: true };
    }
  }

  /** A fresh token for `/setup?token=`, or null where there is an admin already. Earlier links stop working. */
  async createLink(): Promise<string | null> {
    if (await this.users.platformAdminExists()) return null;
    const { token, hash } = newOpaqueToken(this.randomness);
    await this.transactions.run((tx) => this.links.replace(tx, hash, LINK_SECONDS));
    return token;
  }

  async isUsable(token: string): Promise<boolean> {
    return (await this.links.isUsable(hashOpaqueToken(token))) && !(await this.users.platformAdminExists());
  }

  /**
   * Spends the link. Whoever holds it is believed about the address.
   * @returns the admin, or null where the link is spent, old or no longer needed
   * @throws PasswordRefused, UserAlreadyExists
   */
  async create(ctx: RequestContext, token: string, admin: FirstAdmin): Promise<User | null> {
    const { email, displayName, password } = admin;
    const remark = await this.policy.check(password, newAdmin(email, displayName), null);
    if (!(await this.isUsable(token))) return null;
    const passwordHash = await this.users.hashPassword(password);
    return this.transactions.run(async (tx) => {
      await this.links.lock(tx);
      if (await this.users.platformAdminExists(tx)) return null;
      if (!(await this.links.consume(tx, hashOpaqueToken(token)))) return null;
      return this.insert(tx, ctx, { email, displayName, passwordHash, remark });
    });
  }

  private async insert(
    tx: EntityManager,
    ctx: RequestContext,
    admin: Omit<FirstAdmin, 'password'> & { passwordHash: string; remark: PasswordRemark },
  ): Promise<User> {
    const { email, displayName, passwordHash, remark } = admin;
    const user = await this.users.create(tx, {
      email,
      displayName,
      passwordHash,
      emailVerified: true,
      isPlatformAdmin: true,
    });
    await this.audit.record(tx, ctx, 'user.created', {
      userId: user.id,
      target: { type: 'user', id: user.id },
      metadata: { first_admin: true, ...remark },
    });
    return user;
  }
}

function newAdmin(email: string, displayName: string | null): PasswordOwner {
  return { userId: null, email, displayName, becomesPlatformAdmin: true };
}
