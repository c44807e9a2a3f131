import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';

@Injectable()
export class ExpiredConsoleSessionsPurge extends PeriodicJob {
  readonly name = 'console.purge';
  readonly everySeconds = 3600;

  constructor(private readonly sessions: ConsoleSessionsRepository) {
    super();
  }

  run(): Promise<void> {
    return this.sessions.purge();
  }
}
