import { Injectable } from '@nestjs/common';
import { UserTrace } from '../../users/user-trace.js';
import { SsoSessionsService } from './sso-sessions.service.js';

@Injectable()
export class SsoSessionTrace extends UserTrace {
  readonly name = 'sso_sessions';

  constructor(private readonly sessions: SsoSessionsService) {
    super();
  }

  async count(userId: string): Promise<number> {
    return (await this.sessions.listLive(userId)).length;
  }
}
