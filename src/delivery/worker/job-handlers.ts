import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { discoverByName } from '../../common/discovered.js';
import { JobHandler } from './job-handler.js';

/** A handler without its payload type, which was checked when the row was added. */
export type AnyJobHandler = Pick<JobHandler, 'job'> & {
  handle(payload: unknown, meta: Parameters<JobHandler['handle']>[1]): Promise<void>;
  gaveUp(payload: unknown, meta: Parameters<JobHandler['handle']>[1]): Promise<void>;
};

/** All {@link JobHandler}s among the providers of this process, by job name. */
@Injectable()
export class JobHandlers implements OnApplicationBootstrap {
  private found: ReadonlyMap<string, AnyJobHandler> | null = null;

  constructor(private readonly discovery: DiscoveryService) {}

  /** Two handlers of one job are a wiring mistake and must prevent the start. */
  onApplicationBootstrap(): void {
    this.collect();
  }

  find(job: string): AnyJobHandler | null {
    return this.collect().get(job) ?? null;
  }

  private collect(): ReadonlyMap<string, AnyJobHandler> {
    return (this.found ??= discoverByName<AnyJobHandler>(this.discovery, JobHandler, ({ job }) => job));
  }
}
