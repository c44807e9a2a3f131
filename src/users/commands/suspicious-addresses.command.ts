import { CommandRunner, SubCommand } from 'nest-commander';
import { DataSource } from 'typeorm';
import { describeAddress, findSuspiciousAddresses } from './suspicious-addresses.js';

@SubCommand({
  name: 'suspicious-addresses',
  description:
    'List accounts, open invites and support addresses whose e-mail address would be refused today: it contains characters ' +
    'that are invisible or look like others. Changes nothing',
})
export class SuspiciousAddressesCommand extends CommandRunner {
  constructor(private readonly database: DataSource) {
    super();
  }

  async run(): Promise<void> {
    let count = 0;
    for await (const found of findSuspiciousAddresses((text, values) => this.database.query(text, values))) {
      process.stdout.write(`${describeAddress(found)}\n`);
      count++;
    }
    process.stdout.write(count === 0 ? 'No address would be refused today\n' : `${count} would be refused today\n`);
  }
}
