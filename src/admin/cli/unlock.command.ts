import { Inject } from '@nestjs/common';
import { CommandRunner, SubCommand } from 'nest-commander';
import { systemContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { readLimitedAddress } from '../people/user-limits.rules.js';
import { UserLimitsService } from '../people/user-limits.service.js';
import { refuse } from './refuse.js';

@SubCommand({
  name: 'unlock',
  arguments: '<email-or-address>',
  argsDescription: {
    'email-or-address':
      'an e-mail address (its owner may try again), an IP address (everyone behind it may), or the id of an app (its server may)',
  },
  description:
    'Clear the rate limits of a person, a network address or an app, at once and for every process. It is written to ' +
    'the audit log. Needs REDIS_URL: without it, as in the embedded mode, the limits are in the memory of the running ' +
    'service, where the console clears them (/console/queues/limits)',
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
    if (!address) return refuse(`Neither an e-mail address, nor an IP address, nor the id of an app: ${given}`);
    if (!this.settings.redisUrl)
      return refuse(
        'Without REDIS_URL, as in the embedded mode, the limits are in the memory of the running service: clear them in ' +
          'the console (/console/queues/limits), or restart it',
      );
    const cleared = await this.limits.clearAddress(systemContext('cli'), address);
    process.stdout.write(cleared === 0 ? 'No limit was counting\n' : `Cleared ${cleared}\n`);
  }
}
