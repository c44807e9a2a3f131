import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { UserLimitsService } from '../../../admin/users/limits/user-limits.service.js';
import type { FormError } from '../../../common/pages/form-error.js';
import type { ConsoleRequest, Fields } from '../../frame/requests/console-request.js';
import { limitWords } from '../../queues/queue-words.js';
import { waitInEnglish } from '../../../common/pages/durations.js';
import { UserPages } from '../page/user-pages.js';
import { UserPasskeys } from './user-passkeys.js';

/** The account tab, for platform admins, with the errors of its forms. */
@Injectable()
export class UserAccountPage {
  constructor(
    private readonly userPages: UserPages,
    private readonly limits: UserLimitsService,
    private readonly passkeys: UserPasskeys,
  ) {}

  async show(
    consoleRequest: ConsoleRequest,
    response: Response,
    id: string,
    { errors, fields = {} }: { readonly errors: readonly FormError[]; readonly fields?: Fields } = { errors: [] },
  ): Promise<void> {
    const [detail, { records }, passkeys] = await Promise.all([
      this.userPages.find(consoleRequest, id),
      this.limits.inspect(id),
      this.passkeys.rows(consoleRequest.ctx, id),
    ]);
    await this.userPages.show(consoleRequest, response, detail, {
      tab: 'account',
      view: 'account',
      status: errors.length > 0 ? 422 : 200,
      model: {
        typedName: fields['display_name'] ?? detail.user.displayName,
        limits: records.map(({ label, key, count, ttl }) => ({
          what: limitWords({ label, key }),
          label,
          count,
          left: waitInEnglish(ttl),
        })),
        passkeys,
        noPasskeys: this.passkeys.none,
        hasSecondFactor: detail.user.totpEnabledAt !== null,
        isAdmin: detail.user.isPlatformAdmin,
        errors,
      },
    });
  }
}
