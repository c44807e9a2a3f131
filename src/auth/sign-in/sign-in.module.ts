import { Module } from '@nestjs/common';
import { TokensModule } from '../../tokens/tokens.module.js';
import { EntryModule } from '../entry/entry.module.js';
import { SessionModule } from '../session/session.module.js';
import { DeviceSignIns } from './device-sign-ins.js';
import { SignInEnding } from './sign-in-ending.service.js';

/**
 * Owns the end of every sign-in, on a page or by JSON: what is checked again in the transaction, and what is issued.
 * How a user authenticates is decided elsewhere.
 */
@Module({
  imports: [TokensModule, EntryModule, SessionModule],
  providers: [DeviceSignIns, SignInEnding],
  exports: [DeviceSignIns, SignInEnding],
})
export class SignInModule {}
