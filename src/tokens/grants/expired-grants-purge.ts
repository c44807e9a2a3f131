import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '../../delivery/periodic/periodic-job.js';
import { AuthorizationCodesRepository } from './authorization-code/authorization-codes.repository.js';
import { DeviceAuthorizationsRepository } from './device/device-authorizations.repository.js';
import { RefreshTokensRepository } from './refresh/refresh-tokens.repository.js';
import { TokenExchangesRepository } from './token-exchange/token-exchanges.repository.js';

/** Removes codes (including those of devices), exchanges and refresh tokens that can no longer be used. */
@Injectable()
export class ExpiredGrantsPurge extends PeriodicJob {
  readonly name = 'tokens.purge';
  readonly everySeconds = 3600;

  constructor(
    private readonly codes: AuthorizationCodesRepository,
    private readonly devices: DeviceAuthorizationsRepository,
    private readonly refreshTokens: RefreshTokensRepository,
    private readonly exchanges: TokenExchangesRepository,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.codes.purge();
    await this.devices.purge();
    await this.exchanges.purge();
    await this.refreshTokens.purge();
  }
}
