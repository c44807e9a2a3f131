import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { gauge } from '../../common/metrics/process-metrics.js';
import { SigningKeys } from './signing-keys.js';

/** Time since the current key began to sign. Without a key there is no value. */
@Injectable()
export class SigningKeyAge implements OnModuleInit {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    gauge(
      { name: 'identity_signing_key_age_seconds', help: 'Seconds since the current signing key began to sign' },
      (metric) => {
        if (this.keys.published().length === 0) metric.remove();
        else metric.set((this.clock.now().getTime() - this.keys.current().activatesAt) / 1_000);
      },
    );
  }
}
