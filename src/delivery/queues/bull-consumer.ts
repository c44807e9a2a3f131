import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BullQueues } from './bull-queues.js';

/** Has the `@Processor` classes of this process consume their queues: the worker. */
@Injectable()
export class BullConsumer implements OnApplicationBootstrap {
  constructor(private readonly queues: BullQueues) {}

  onApplicationBootstrap(): void {
    this.queues.consume();
  }
}
