import { Injectable, Logger } from '@nestjs/common';
import { AppsService } from '../../apps/directory/apps.service.js';
import { Transactions } from '../../database/transactions.js';
import { failureReason } from '../../delivery/engine/failure-reason.js';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { RequestNoticesRepository } from '../notices/request-notices.repository.js';
import { RequestNotices } from './request-notices.service.js';

const BATCH = 100;

/**
 * Sends the digests of requests that are due. One transaction for each app takes the digest and writes its mails: if a
 * process dies, the digest is due again, and of two workers one finds it already taken. A digest that fails does not stop
 * those of other apps, in this run or the next ones. If all fail, the run has failed.
 */
@Injectable()
export class RequestDigestJob extends PeriodicJob {
  override readonly name = 'request-digest';
  override readonly everySeconds = 300;
  private readonly logger = new Logger(RequestDigestJob.name);

  constructor(
    private readonly notices: RequestNotices,
    private readonly due: RequestNoticesRepository,
    private readonly apps: AppsService,
    private readonly transactions: Transactions,
  ) {
    super();
  }

  /** @throws Error if none could be sent, so that the run counts as failed */
  override async run(): Promise<void> {
    const due = await this.due.listDue(BATCH);
    let failures = 0;
    for (const appId of due)
      await this.send(appId).catch(async (error: unknown) => {
        failures++;
        this.logger.error(`Digest of requests for the app ${appId}: ${failureReason(error)}`);
        await this.due.postponeDigest(appId).catch(() => undefined);
      });
    if (due.length > 0 && failures === due.length) throw new Error(`Every digest failed: ${failures}`);
  }

  private send(appId: string): Promise<void> {
    return this.transactions.run(async (tx) => this.notices.sendDigest(tx, await this.apps.get(appId, tx)));
  }
}
