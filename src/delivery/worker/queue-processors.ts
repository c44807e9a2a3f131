import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { discoverByName } from '../../common/discovered.js';
import { QueueProcessor } from './queue-processor.js';
import type { QueueName } from '../queues/queues.js';

/** The {@link QueueProcessor}s of this process, by their queue. */
@Injectable()
export class QueueProcessors implements OnApplicationBootstrap {
  private found: ReadonlyMap<string, QueueProcessor> | null = null;

  constructor(private readonly discovery: DiscoveryService) {}

  /** Two processors of one queue are a wiring mistake and must prevent the start. */
  onApplicationBootstrap(): void {
    this.collect();
  }

  all(): QueueProcessor[] {
    return [...this.collect().values()];
  }

  find(queue: QueueName): QueueProcessor | null {
    return this.collect().get(queue) ?? null;
  }

  private collect(): ReadonlyMap<string, QueueProcessor> {
    return (this.found ??= discoverByName<QueueProcessor>(this.discovery, QueueProcessor, ({ queue }) => queue));
  }
}
