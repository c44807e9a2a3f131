import { Command, CommandRunner, Option, SubCommand } from 'nest-commander';
import { systemContext } from '../../common/request-context.js';
import { SigningKeys } from './signing-keys.js';

@SubCommand({
  name: 'rotate',
  description: 'Add a signing key; it is used in an hour, when every cached key set contains it',
})
export class RotateKeysCommand extends CommandRunner {
  constructor(private readonly keys: SigningKeys) {
    super();
  }

  async run(_arguments: string[], options: { immediately?: boolean }): Promise<void> {
    const kid = await this.keys.rotate(systemContext('cli'), { immediately: options.immediately ?? false });
    process.stdout.write(
      `New signing key ${kid}, signs ${options.immediately ? 'from now on; tokens of the old keys are refused' : 'in one hour'}\n`,
    );
  }

  @Option({
    flags: '--immediately',
    description: 'For a leaked key: sign with the new key now and reject all tokens signed with old keys',
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
