import { Injectable } from '@nestjs/common';
import { AppsService } from '../../apps/apps.service.js';
import { governsApp } from '../../common/actor.js';
import type { ConsoleVisit } from '../frame/console-visit.js';

export interface OwnApp {
  readonly id: string;
  readonly name: string;
  readonly tenantId: string;
  readonly isConsoleApp: boolean;
  readonly roles: readonly string[];
}

const MOST = 200;

/** The apps whose people an operator administers, for selects. */
@Injectable()
export class OwnApps {
  constructor(private readonly apps: AppsService) {}

  /** By name. */
  async list(visit: ConsoleVisit): Promise<OwnApp[]> {
    const { apps } = await this.apps.list(visit.ctx, { page: 1, limit: MOST });
    return apps
      .filter((app) => governsApp(visit.actor, app))
      .map(({ id, name, tenantId, isConsoleApp, config }) => ({
        id,
        name,
        tenantId,
        isConsoleApp,
        roles: config.available_roles,
      }))
      .sort((a, b) => a.name.localeCompare(b.name));
  }
}
