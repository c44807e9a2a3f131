import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { MailLogRepository } from './mail-log.repository.js';

/** Removes mails from the log that were queued longer than MAIL_LOG_DAYS ago. */
@Injectable()
export class MailLogPurge extends PeriodicJob {
  override readonly name = 'mail-log-purge';
  override readonly everySeconds = 3_600;

  constructor(
    private readonly log: MailLogRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  override run(): Promise<void> {
    return this.log.purge(this.settings.mailLogDays);
  }
}
