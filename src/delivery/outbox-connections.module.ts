import { Module } from '@nestjs/common';
import { OutboxConnections } from './outbox-connections.js';

/** Apart from the DeliveryModule because Bull's own module needs it to build the queue. */
@Module({ providers: [OutboxConnections], exports: [OutboxConnections] })
export class OutboxConnectionsModule {}
