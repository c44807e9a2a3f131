import { Module } from '@nestjs/common';
import { TokensModule } from '../../tokens/tokens.module.js';
import { RestoreService } from './restore.service.js';

/** Invalidates what a restored backup makes valid again, in the tables of all modules. Owns no table. */
@Module({ imports: [TokensModule], providers: [RestoreService], exports: [RestoreService] })
export class RestoreModule {}
