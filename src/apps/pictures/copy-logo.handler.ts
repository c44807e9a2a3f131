import { Injectable, Logger } from '@nestjs/common';
import { systemContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { JobHandler, type JobMeta } from '../../delivery/worker/job-handler.js';
import type { Jobs } from '../../delivery/outbox/jobs.js';
import { AppChanges } from '../changes/app-changes.js';
import type { App } from '../app/app.entity.js';
import { AppsRepository } from '../app/apps.repository.js';
import { LogoSource } from '../logo/logo-source.js';
import { NoLogoThere } from '../logo/logo.errors.js';

/** Fetches what {@link LogoCopies} ordered. */
@Injectable()
export class CopyLogoHandler extends JobHandler<'apps.copy_logo'> {
  readonly job = 'apps.copy_logo';
  private readonly logger = new Logger(CopyLogoHandler.name);

  constructor(
    private readonly source: LogoSource,
    private readonly apps: AppsRepository,
    private readonly changes: AppChanges,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  async handle({ appId, address }: Jobs['apps.copy_logo'], { lastAttempt }: JobMeta): Promise<void> {
    const app = await this.findOrderer(appId, address);
    if (!app) return;
    const copy = await this.fetch(app, address, lastAttempt);
    if (copy !== null) await this.keep(appId, address, copy);
  }

  /**
   * The app. Null if its address has changed: the new one has its own order. Locks the app, to wait for a concurrent
   * change back to this address, which has found this order pending and created no other.
   */
  private async findOrderer(appId: string, address: string): Promise<App | null> {
    return this.transactions.run(async (tx) => {
      const app = await this.apps.findForUpdate(tx, appId);
      return app?.branding.logo_url === address ? app : null;
    });
  }

  /**
   * Null if it gave up: an address without a logo is the tenant's problem, and needs no dead letter for an operator.
   */
  private async fetch(app: App, address: string, lastAttempt: boolean): Promise<string | null> {
    try {
      return await this.source.read(app, address);
    } catch (error) {
      if (!lastAttempt && !(error instanceof NoLogoThere)) throw error;
      this.logger.warn(`The logo of app ${app.id} could not be fetched: ${(error as Error).message}`);
      return null;
    }
  }

  private async keep(appId: string, address: string, copy: string): Promise<void> {
    await this.changes.run(null, async (tx) => {
      const app = await this.apps.findForUpdate(tx, appId);
      if (app?.branding.logo_url !== address || app.logoCopy === copy) return;
      await this.apps.update(tx, appId, { logoCopy: copy });
      await this.changes.record(tx, systemContext('logo'), 'app.logo_changed', app, { logo: 'copied' });
    });
  }
}
