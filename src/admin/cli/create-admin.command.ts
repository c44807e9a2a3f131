import { text } from 'node:stream/consumers';
import { CommandRunner, Option, SubCommand } from 'nest-commander';
import { systemContext } from '../../common/request-context.js';
import { judgeEmail } from '../../common/validation/email.rules.js';
import { judgePassword, MAX_PASSWORD_LENGTH } from '../../users/passwords/password.rules.js';
import { AdminCreationService } from '../users/platform-admins/admin-creation.service.js';
import { refuse } from './refuse.js';

@SubCommand({
  name: 'create',
  arguments: '<email>',
  argsDescription: { email: 'e-mail address of the new admin. It counts as verified, and must not have an account' },
  description:
    'Create a platform admin, even if there are others (they are notified by e-mail). Without --password-stdin it ' +
    'prints a link, valid for 30 minutes, to set the password',
})
export class CreateAdminCommand extends CommandRunner {
  constructor(private readonly admins: AdminCreationService) {
    super();
  }

  async run([email = '']: string[], options: { passwordStdin?: boolean }): Promise<void> {
    if (judgeEmail(email) !== 'ok') return refuse(`Not an e-mail address: ${email}`);
    const password = options.passwordStdin ? (await text(process.stdin)).replace(/\r?\n$/, '') : null;
    if (password !== null && judgePassword(password) === 'too_long')
      return refuse(`A password has at most ${MAX_PASSWORD_LENGTH} characters and no NUL`);
    const { user, link } = await this.admins.create(systemContext('cli'), email, password);
    process.stdout.write(`${link ?? `${user.email} can sign in`}\n`);
  }

  @Option({
    flags: '--password-stdin',
    description:
      'read the password from standard input, so that it is not visible in the process list or the shell history',
  })
  readPasswordStdin(): boolean {
    return true;
  }
}
