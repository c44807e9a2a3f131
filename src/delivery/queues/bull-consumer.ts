import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BullQueues } from './bull-queues.js';

/** Makes the `@Processor` classes of this process consume their queues. For the worker. */
@Injectable()
export class BullConsumer implements OnApplicationBootstrap {
  constructor(private readonly queues: BullQueues) {}

  onApplicationBootstrap(): void {
    this.queues.consume();
  }
}
