import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { App } from './app.entity.js';
import { AppsRepository } from './apps.repository.js';

/** The table of apps, only for the other folders of this module. */
@Module({
  imports: [TypeOrmModule.forFeature([App])],
  providers: [AppsRepository],
  exports: [AppsRepository],
})
export class AppRowsModule {}
