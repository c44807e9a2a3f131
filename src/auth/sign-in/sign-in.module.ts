import { Module } from '@nestjs/common';
import { TokensModule } from '../../tokens/tokens.module.js';
import { EntryModule } from '../entry/entry.module.js';
import { SessionModule } from '../session/session.module.js';
import { DeviceSignIns } from './device-sign-ins.js';
import { SignInEnding } from './sign-in-ending.service.js';

/**
 * Owns the end of every sign-in, by page or by JSON: what is checked once more in the transaction, and what is given. How
 * a user proves who they are is not its business.
 */
@Module({
  imports: [TokensModule, EntryModule, SessionModule],
  providers: [DeviceSignIns, SignInEnding],
  exports: [DeviceSignIns, SignInEnding],
})
export class SignInModule {}
