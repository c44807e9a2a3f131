import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { TooManyApps } from '../app/apps.errors.js';
import { AppsRepository } from '../app/apps.repository.js';

/** Without archived apps, the Console app and self-registered clients. All settings of them may be in memory at once. */
export const MAX_APPS_PER_TENANT = 1_000;

/** The maximum number of apps of a tenant. Every new app passes it, and every app that is restored. */
@Injectable()
export class AppMaximum {
  constructor(private readonly apps: AppsRepository) {}

  /**
   * Decides only if the tenant's row is locked until `tx` ends.
   * @param more number of apps to be added
   * @throws TooManyApps
   */
  async check(tenantId: string, more: number, tx?: EntityManager): Promise<void> {
    if ((await this.apps.countOfOperators(tenantId, tx)) + more > MAX_APPS_PER_TENANT) throw new TooManyApps();
  }
}
