import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../delivery/job-handler.js';
import type { Jobs } from '../../delivery/jobs.js';
import type { AuthorizationRequest } from '../hosted-sign-in/authorization-request.js';
import { MagicLinkService } from './magic-link.service.js';

declare module '../../delivery/jobs.js' {
  interface Jobs {
    'auth.magic_link_requested': {
      readonly email: string;
      readonly appId: string;
      readonly request: AuthorizationRequest | null;
    };
  }
}

@Injectable()
export class MagicLinkRequestedHandler extends JobHandler<'auth.magic_link_requested'> {
  readonly job = 'auth.magic_link_requested';

  constructor(private readonly magicLinks: MagicLinkService) {
    super();
  }

  handle({ email, appId, request }: Jobs['auth.magic_link_requested']): Promise<void> {
    return this.magicLinks.mailLink(email, appId, request);
  }
}
