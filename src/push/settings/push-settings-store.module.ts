import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PushSettings } from './push-settings.entity.js';
import { PushSettingsRepository } from './push-settings.repository.js';

/** Owns the table of push settings, which the settings and the webhooks use. */
@Module({
  imports: [TypeOrmModule.forFeature([PushSettings])],
  providers: [PushSettingsRepository],
  exports: [PushSettingsRepository],
})
export class PushSettingsStoreModule {}
