import { Injectable } from '@nestjs/common';
import { PurgeJob } from '../../delivery/periodic/purge-job.js';
import { AuthorizationCodesRepository } from './authorization-code/authorization-codes.repository.js';
import { DeviceAuthorizationsRepository } from './device/device-authorizations.repository.js';
import { RefreshTokensRepository } from './refresh/refresh-tokens.repository.js';
import { TokenExchangesRepository } from './token-exchange/token-exchanges.repository.js';

/** Removes codes (including those of devices), exchanges and refresh tokens that can no longer be used. */
@Injectable()
export class ExpiredGrantsPurge extends PurgeJob {
  override readonly name = 'tokens.purge';

  constructor(
    private readonly codes: AuthorizationCodesRepository,
    private readonly devices: DeviceAuthorizationsRepository,
    private readonly refreshTokens: RefreshTokensRepository,
    private readonly exchanges: TokenExchangesRepository,
  ) {
    super();
  }

  protected override purges() {
    return [
      () => this.codes.purge(),
      () => this.devices.purge(),
      () => this.exchanges.purge(),
      () => this.refreshTokens.purge(),
      () => this.refreshTokens.purgeFamilies(),
    ];
  }
}
