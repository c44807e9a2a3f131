import { Module } from '@nestjs/common';
import { Network } from './network.js';
import { OutboundHttp } from './outbound-http.js';
import { DEFAULT_OUTBOUND_OPTIONS, OUTBOUND_OPTIONS } from './outbound-options.js';
import { SystemNetwork } from './system-network.js';

/** Owns the guarded client for outgoing requests. Owns no table. */
@Module({
  providers: [
    OutboundHttp,
    { provide: Network, useClass: SystemNetwork },
    { provide: OUTBOUND_OPTIONS, useValue: DEFAULT_OUTBOUND_OPTIONS },
  ],
  exports: [OutboundHttp],
})
export class OutboundModule {}
