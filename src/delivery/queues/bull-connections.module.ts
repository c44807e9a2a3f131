import { Module } from '@nestjs/common';
import { BullConnections } from './bull-connections.js';

/** Separate from the DeliveryModule, because Bull's module needs it to create the queues. */
@Module({ providers: [BullConnections], exports: [BullConnections] })
export class BullConnectionsModule {}
