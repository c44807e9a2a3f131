import { Command, CommandRunner } from 'nest-commander';
import { SuspiciousAddressesCommand } from './suspicious-addresses.command.js';

@Command({ name: 'users', description: 'Users and their addresses', subCommands: [SuspiciousAddressesCommand] })
export class UsersCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.help();
  }
}
