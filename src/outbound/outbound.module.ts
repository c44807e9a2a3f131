import { Module } from '@nestjs/common';
import { Network } from './network.js';
import { OutboundHttp } from './outbound-http.js';
import { SystemNetwork } from './system-network.js';

/** Owns the guarded client for outgoing requests. Owns no table. */
@Module({ providers: [OutboundHttp, { provide: Network, useClass: SystemNetwork }], exports: [OutboundHttp] })
export class OutboundModule {}
