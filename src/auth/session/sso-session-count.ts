import { Injectable } from '@nestjs/common';
import { ImpactCount } from '../../users/impact-count.js';
import { SsoSessionsService } from './sso-sessions.service.js';

@Injectable()
export class SsoSessionCount extends ImpactCount {
  readonly name = 'sso_sessions';

  constructor(private readonly sessions: SsoSessionsService) {
    super();
  }

  async count(userId: string): Promise<number> {
    return (await this.sessions.listLive(userId)).length;
  }
}
