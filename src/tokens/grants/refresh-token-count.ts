import { Injectable } from '@nestjs/common';
import { ImpactCount } from '../../users/impact-count.js';
import { RefreshTokensRepository } from './refresh-tokens.repository.js';

/** Families alive: each is one sign-in, whatever number of its tokens can still be used. */
@Injectable()
export class RefreshTokenCount extends ImpactCount {
  readonly name = 'refresh_tokens';

  constructor(private readonly tokens: RefreshTokensRepository) {
    super();
  }

  count(userId: string): Promise<number> {
    return this.tokens.countAlive(userId);
  }
}
