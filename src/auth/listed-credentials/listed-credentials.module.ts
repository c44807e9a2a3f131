import { Module } from '@nestjs/common';
import { PasskeysModule } from '../credentials/passkeys/passkeys.module.js';
import { SecondFactorModule } from '../credentials/second-factor/second-factor.module.js';
import { LinkedAccountsModule } from '../providers/linked/linked-accounts.module.js';
import { ListedCredentials } from './listed-credentials.js';

/** Lists the credentials of an account, for the pages that keep or remove them. Has no tables. */
@Module({
  imports: [PasskeysModule, SecondFactorModule, LinkedAccountsModule],
  providers: [ListedCredentials],
  exports: [ListedCredentials],
})
export class ListedCredentialsModule {}
