import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import type { App } from '../../apps/app/app.entity.js';
import type { RequestContext } from '../../common/request-context.js';
import { UsersService } from '../../users/users.service.js';
import { EnrollmentService } from './enrollment.service.js';
import { EnrollmentsRepository } from '../enrollments/enrollments.repository.js';
import { OwnMemberships } from './own-memberships.service.js';

/** Membership in self-registered clients. Every path by which a user joins one calls this service. */
@Injectable()
export class ClientMemberships {
  constructor(
    private readonly enrollments: EnrollmentsRepository,
    private readonly enrollment: EnrollmentService,
    private readonly own: OwnMemberships,
    private readonly users: UsersService,
    private readonly directory: AppDirectory,
  ) {}

  /** The app that the user would leave when joining another client of this tenant; null: there is room. */
  async findNextToLeave(userId: string, tenantId: string): Promise<App | null> {
    const [appId] = await this.enrollments.clientsToLeave(userId, tenantId);
    return appId === undefined ? null : ((await this.directory.findOfAnyOrigin(appId))?.app ?? null);
  }

  /**
   * The user leaves clients beyond the limit, so that no member can fill the tenant's places. Concurrent calls for one
   * user wait for each other; if both are for the same client, the second finds it joined.
   * @returns ids of the apps that the user has left; the caller must revoke their refresh tokens
   */
  async join(tx: EntityManager, ctx: RequestContext, userId: string, app: App): Promise<string[]> {
    await this.users.lock(tx, userId);
    if (await this.enrollments.find(userId, app.id, tx)) return [];
    const left = await this.enrollments.clientsToLeave(userId, app.tenantId, tx);
    for (const appId of left) {
      const client = await this.directory.findOfAnyOrigin(appId, tx);
      if (client) await this.own.leave(tx, ctx, userId, client.app);
    }
    const roles = app.config.auto_assign_roles;
    await this.enrollment.enroll(tx, ctx, { userId, app, roles, status: 'active', joinsThemselves: true });
    return left;
  }
}
