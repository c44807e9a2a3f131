import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { JobHandler } from './job-handler.js';

/** A handler as the executor sees it: the payload's type was checked when the row was added. */
export type AnyJobHandler = Pick<JobHandler, 'job'> & {
  handle(payload: unknown, meta: Parameters<JobHandler['handle']>[1]): Promise<void>;
  gaveUp(payload: unknown, meta: Parameters<JobHandler['handle']>[1]): Promise<void>;
};

/** All {@link JobHandler}s among the providers of this process, by job name. */
@Injectable()
export class JobHandlers implements OnApplicationBootstrap {
  private found: Map<string, AnyJobHandler> | null = null;

  constructor(private readonly discovery: DiscoveryService) {}

  /** Two handlers of one job are a mistake in the wiring: the process must not start. */
  onApplicationBootstrap(): void {
    this.collect();
  }

  find(job: string): AnyJobHandler | null {
    return this.collect().get(job) ?? null;
  }

  private collect(): Map<string, AnyJobHandler> {
    if (this.found) return this.found;
    const handlers = new Map<string, AnyJobHandler>();
    for (const { instance } of this.discovery.getProviders()) {
      if (!(instance instanceof JobHandler)) continue;
      const known = handlers.get(instance.job);
      if (known && known !== instance) throw new Error(`Two handlers of the job ${String(instance.job)}`);
      handlers.set(instance.job, instance as AnyJobHandler);
    }
    return (this.found = handlers);
  }
}
