import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { systemContext } from '../../common/request-context.js';
import { isLoopbackHost } from '../../config/loopback.rules.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { WeakPassword } from '../../users/users.errors.js';
import { UsersService } from '../../users/users.service.js';
import { PasswordPolicyService, type PasswordRemark } from '../credentials/password/password-policy.service.js';
import { FirstAdminCreation, newAdmin } from './first-admin-creation.service.js';

/** Creates the first platform admin from BOOTSTRAP_ADMIN_* when the service starts. */
@Injectable()
export class BootstrapAdmin implements OnApplicationBootstrap {
  private readonly logger = new Logger(BootstrapAdmin.name);

  constructor(
    private readonly users: UsersService,
    private readonly policy: PasswordPolicyService,
    private readonly admins: FirstAdminCreation,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const bootstrap = this.settings.bootstrapAdmin;
    if (!bootstrap || (await this.users.platformAdminExists())) return;
    const { email, password } = bootstrap;
    const ctx = systemContext('bootstrap');
    const remark = await this.judge(email, password);
    const passwordHash = await this.users.hashPassword(ctx, password);
    const prepared = { email, displayName: 'Administrator', passwordHash, remark };
    const created = await this.admins.create(
      ctx,
      prepared,
      () => Promise.resolve(true),
      (_tx, user) => Promise.resolve(user),
    );
    if (created) this.logger.log('The first platform admin was created from BOOTSTRAP_ADMIN_EMAIL');
  }

  /**
   * On a loopback address, a weak password is allowed with a warning, like other settings that are only fit for trying
   * out.
   */
  private async judge(email: string, password: string): Promise<PasswordRemark> {
    try {
      return await this.policy.check(password, newAdmin(email, null), null);
    } catch (error) {
      if (!(error instanceof WeakPassword) || !isLoopbackHost(new URL(this.settings.baseUrl).hostname)) throw error;
      this.logger.warn(
        'BOOTSTRAP_ADMIN_PASSWORD is easy to guess. The service starts with it only on a loopback address.',
      );
      return { weak_password: true };
    }
  }
}
