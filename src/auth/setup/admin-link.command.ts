import { Inject } from '@nestjs/common';
import { CommandRunner, SubCommand } from 'nest-commander';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { FirstAdminService } from './first-admin.service.js';

@SubCommand({ name: 'link', description: 'Print a one-time link that makes the first platform admin' })
export class AdminLinkCommand extends CommandRunner {
  constructor(
    private readonly firstAdmin: FirstAdminService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  async run(): Promise<void> {
    const token = await this.firstAdmin.createLink();
    process.stdout.write(
      token ? `${this.settings.baseUrl}/setup?token=${token}\n` : 'There is a platform admin already\n',
    );
    if (!token) process.exitCode = 1;
  }
}
