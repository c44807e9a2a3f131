import { Command, CommandRunner } from 'nest-commander';
import { AdminLinkCommand } from '../../auth/setup/admin-link.command.js';
import { CreateAdminCommand } from './create-admin.command.js';
import { UnlockCommand } from './unlock.command.js';

@Command({
  name: 'admin',
  description: 'Platform administrators and rate limits',
  subCommands: [AdminLinkCommand, CreateAdminCommand, UnlockCommand],
})
export class AdminCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.help();
  }
}
