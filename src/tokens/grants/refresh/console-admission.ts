import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { EnrollmentService } from '../../../enrollment/memberships/enrollment.service.js';
import { RefreshTokensRepository } from './refresh-tokens.repository.js';

/** Whether a refresh at a Console app is admitted. */
@Injectable()
export class ConsoleAdmission {
  constructor(
    private readonly repository: RefreshTokensRepository,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
  ) {}

  /** Access to Console apps depends on authority, which the rotation does not read: checked beforehand, for them only. */
  async admits(tokenHash: Buffer, appId: string): Promise<boolean> {
    const client = await this.directory.find(appId);
    if (!client?.app.isConsoleApp) return false;
    const presented = await this.repository.findPresented(tokenHash);
    if (!presented) return false;
    const { admission } = await this.enrollment.admit(
      { id: presented.user_id, isActive: presented.user_is_active },
      client,
    );
    return admission === 'admitted';
  }
}
