import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../delivery/periodic/purge-job.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';

@Injectable()
export class ExpiredConsoleSessionsPurge extends PurgeJob {
  override readonly name = 'console.purge';

  constructor(private readonly sessions: ConsoleSessionsRepository) {
    super();
  }

  protected override purges() {
    return [() => this.sessions.purge()];
  }
}
