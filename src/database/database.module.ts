import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CacheAge } from './cache-age.js';
import { ClockSkew } from './clock-skew.js';
import { DeepPages } from './deep-pages.js';
import { NotificationListener } from './notification-listener.js';
import { databaseOptions } from './options.js';
import { Snapshots } from './snapshots.js';
import { Statements } from './statements.js';
import { Transactions } from './transactions.js';

/** The connection pool, the time, transactions, snapshots, prepared statements and far pages. Owns no table: those belong to the feature modules. */
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
