import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PushSettings } from './push-settings.entity.js';
import { PushSettingsRepository } from './push-settings.repository.js';

/** Owns the table of push settings, for those who read and write it: the settings themselves and webhooks. */
@Module({
  imports: [TypeOrmModule.forFeature([PushSettings])],
  providers: [PushSettingsRepository],
  exports: [PushSettingsRepository],
})
export class PushSettingsStoreModule {}
