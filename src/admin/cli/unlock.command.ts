import { Inject } from '@nestjs/common';
import { CommandRunner, SubCommand } from 'nest-commander';
import { systemContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { readLimitedAddress } from '../users/limits/user-limits.rules.js';
import { UserLimitsService } from '../users/limits/user-limits.service.js';
import { refuse } from './refuse.js';

@SubCommand({
  name: 'unlock',
  arguments: '<email-or-address>',
  argsDescription: {
    'email-or-address':
      'the e-mail address of a user, an IP address (for all users behind it), the id of an app (for its server) or of ' +
      'a tenant',
  },
  description:
    'Clear the rate limits of a user, a network address, an app or a tenant, at once and in every process. This is ' +
    'recorded in the audit log. Needs REDIS_URL: without it, as in the embedded mode, the limits are in the memory of ' +
    'the running service, and you clear them in the console (/console/queues/limits)',
})
export class UnlockCommand extends CommandRunner {
  constructor(
    private readonly limits: UserLimitsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  async run([given = '']: string[]): Promise<void> {
    const address = readLimitedAddress(given);
    if (!address) return refuse(`Enter an e-mail address, an IP address or the id of an app or tenant, not: ${given}`);
    if (!this.settings.redisUrl)
      return refuse(
        'Without REDIS_URL, as in the embedded mode, the limits are in the memory of the running service: clear them in ' +
          'the console (/console/queues/limits), or restart it',
      );
    const cleared = await this.limits.clearAddress(systemContext('cli'), address);
    process.stdout.write(cleared === 0 ? 'No rate limit was active\n' : `Cleared ${cleared}\n`);
  }
}
