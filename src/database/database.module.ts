import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CacheAge } from './notifications/cache-age.js';
import { ClockSkew } from './notifications/clock-skew.js';
import { DeepPages } from './queries/deep-pages.js';
import { NotificationListener } from './notifications/notification-listener.js';
import { databaseOptions } from './connection/options.js';
import { Snapshots } from './queries/snapshots.js';
import { Statements } from './statements.js';
import { Transactions } from './transactions.js';

/**
 * The connection pool, the time, transactions, snapshots, prepared statements and pages of long lists. Owns no table:
 * those belong to the feature modules.
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SETTINGS],
      useFactory: (settings: Settings) => ({
        ...databaseOptions(settings.databaseUrl!),
        entities: [],
        migrations: [],
        autoLoadEntities: true,
        retryAttempts: 5,
        retryDelay: 500,
      }),
    }),
  ],
  providers: [Transactions, Statements, Snapshots, NotificationListener, CacheAge, ClockSkew, DeepPages],
  exports: [Transactions, Statements, Snapshots, NotificationListener, ClockSkew, DeepPages],
})
export class DatabaseModule {}
