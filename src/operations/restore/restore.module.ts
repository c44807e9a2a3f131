import { Module } from '@nestjs/common';
import { TokensModule } from '../../tokens/tokens.module.js';
import { RestoreService } from './restore.service.js';

/** Ends what a restored backup revives, over the tables of all modules. Owns none. */
@Module({ imports: [TokensModule], providers: [RestoreService], exports: [RestoreService] })
export class RestoreModule {}
