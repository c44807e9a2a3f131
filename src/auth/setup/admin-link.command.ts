import { Inject } from '@nestjs/common';
import { CommandRunner, SubCommand } from 'nest-commander';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { FirstAdminLinks } from './first-admin-links.service.js';

@SubCommand({ name: 'link', description: 'Print a one-time link that creates the first platform admin' })
export class AdminLinkCommand extends CommandRunner {
  constructor(
    private readonly links: FirstAdminLinks,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  async run(): Promise<void> {
    const token = await this.links.create();
    process.stdout.write(
      token
        ? `${this.settings.baseUrl}/setup?token=${token}\n`
        : 'A platform admin already exists. To create another, run `npm run cli -- admin create <e-mail>`\n',
    );
    if (!token) process.exitCode = 1;
  }
}
