import { Injectable } from '@nestjs/common';
import { AppDirectory } from './app-directory.js';
import { LiveClients } from './live-clients.js';

/** What processes remember of apps and tenants. Called by the process that has committed a change. */
@Injectable()
export class AppCaches {
  constructor(
    private readonly directory: AppDirectory,
    private readonly liveClients: LiveClients,
  ) {}

  /** For a new object, which no process can have cached. See `AppDirectory.catchUp`. */
  catchUp(): Promise<void> {
    return this.directory.catchUp();
  }

  /** For a changed object. See `LiveClients.untilReadAgain`. */
  async untilReadAgain(): Promise<void> {
    await this.directory.catchUp();
    await this.liveClients.untilReadAgain();
  }
}
