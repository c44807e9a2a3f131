import { Module } from '@nestjs/common';
import { TokensModule } from '../../tokens/tokens.module.js';
import { ConsoleFrameModule } from '../frame/console-frame.module.js';
import { KeysController } from './keys.controller.js';

/** The page of the signing keys. Owns no table. */
@Module({ imports: [ConsoleFrameModule, TokensModule], controllers: [KeysController] })
export class KeyPagesModule {}
