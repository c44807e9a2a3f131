import { Command, CommandRunner, SubCommand } from 'nest-commander';
import { systemContext } from '../../common/request-context.js';
import { SecretKeyService } from './secret-key.service.js';

@SubCommand({
  name: 'rotate',
  description: 'Re-encrypt with SECRET_KEY everything that SECRET_KEY_PREVIOUS encrypted',
})
export class RotateSecretKeyCommand extends CommandRunner {
  constructor(private readonly secretKey: SecretKeyService) {
    super();
  }

  async run(): Promise<void> {
    const columns = await this.secretKey.rotate(systemContext('cli'));
    for (const { name, resealed, unreadable } of columns) {
      process.stdout.write(`${name}: ${resealed} re-encrypted\n`);
      for (const key of unreadable) process.stdout.write(`${name}: ${key} cannot be decrypted with either key\n`);
    }
    const lost = columns.some(({ unreadable }) => unreadable.length > 0);
    process.stdout.write(
      lost ? 'Some values cannot be read: keep the old keys\n' : 'You can now remove SECRET_KEY_PREVIOUS\n',
    );
    if (lost) process.exitCode = 1;
  }
}

@Command({ name: 'secret-key', description: 'Encryption at rest', subCommands: [RotateSecretKeyCommand] })
export class SecretKeyCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.help();
  }
}
