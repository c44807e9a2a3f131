import { DataSource } from 'typeorm';
import { databaseOptions } from './src/database/connection/options.js';

/** For the TypeORM command line only: `DATABASE_URL=… npm run typeorm -- migration:generate src/database/migrations/<Name>`. */
export default new DataSource(databaseOptions(process.env['DATABASE_URL'] ?? 'postgres://127.0.0.1/postgres'));
