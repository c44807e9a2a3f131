import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { PurgeJob } from '../../delivery/periodic/purge-job.js';
import { MailLogRepository } from './mail-log.repository.js';

/** Removes mails from the log that were queued longer than MAIL_LOG_DAYS ago. */
@Injectable()
export class MailLogPurge extends PurgeJob {
  override readonly name = 'mail-log-purge';

  constructor(
    private readonly log: MailLogRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  protected override purges() {
    return [() => this.log.purge(this.settings.mailLogDays)];
  }
}
