import { Command, CommandRunner, Option, SubCommand } from 'nest-commander';
import { systemContext } from '../../common/request-context.js';
import { SigningKeys } from './signing-keys.js';

@SubCommand({
  name: 'rotate',
  description: 'Add a signing key; it signs in an hour, when every cached key set knows it',
})
export class RotateKeysCommand extends CommandRunner {
  constructor(private readonly keys: SigningKeys) {
    super();
  }

  async run(_arguments: string[], options: { immediately?: boolean }): Promise<void> {
    const kid = await this.keys.rotate(systemContext('cli'), options.immediately ?? false);
    process.stdout.write(`New signing key ${kid}, signs ${options.immediately ? 'from now on' : 'in one hour'}\n`);
  }

  @Option({
    flags: '--immediately',
    description: 'Sign with it now, for a key that has leaked; clients with a cached key set fail until they reload it',
  })
  readImmediately(): boolean {
    return true;
  }
}

@Command({ name: 'keys', description: 'Signing keys', subCommands: [RotateKeysCommand] })
export class KeysCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.help();
  }
}
