import { Injectable } from '@nestjs/common';
import { AppsService } from '../../../apps/directory/apps.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import { ConsentRevocation } from '../../../tokens/grants/revocation/consent-revocation.service.js';

/** Lets administrators revoke a user's consent to an app. */
@Injectable()
export class UserConsents {
  constructor(
    private readonly visibleUsers: VisibleUsers,
    private readonly apps: AppsService,
    private readonly revocation: ConsentRevocation,
  ) {}

  /** @throws UserNotFound, AppNotFound, InsufficientPermissions, ConsentNotFound */
  async revoke(ctx: RequestContext, userId: string, appId: string): Promise<void> {
    await this.visibleUsers.getVisible(ctx, userId);
    await this.revocation.revoke(ctx, userId, await this.apps.getGoverned(ctx, appId));
  }
}
