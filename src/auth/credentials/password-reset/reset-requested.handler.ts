import { Injectable } from '@nestjs/common';
import { JobHandler } from '../../../delivery/job-handler.js';
import type { Jobs } from '../../../delivery/jobs.js';
import { PasswordResetService } from './password-reset.service.js';

declare module '../../../delivery/jobs.js' {
  interface Jobs {
    'auth.reset_requested': { readonly email: string; readonly appId: string };
  }
}

@Injectable()
export class ResetRequestedHandler extends JobHandler<'auth.reset_requested'> {
  readonly job = 'auth.reset_requested';

  constructor(private readonly resets: PasswordResetService) {
    super();
  }

  handle({ email, appId }: Jobs['auth.reset_requested']): Promise<void> {
    return this.resets.mailLink(email, appId);
  }
}
