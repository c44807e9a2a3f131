import { Module } from '@nestjs/common';
import { BullConnections } from './bull-connections.js';

/** Apart from the DeliveryModule because Bull's own module needs it to build the queues. */
@Module({ providers: [BullConnections], exports: [BullConnections] })
export class BullConnectionsModule {}
