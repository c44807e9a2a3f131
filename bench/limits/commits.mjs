// Single-row transactions on the same PostgreSQL, 32 connections, prepared. Arguments: seconds, database URL.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { Latencies } from '../load/latencies.mjs';

const CONNECTIONS = 32;
const [, , seconds, connectionString] = process.argv;
const pool = new pg.Pool({ connectionString, max: CONNECTIONS });
await pool.query('CREATE TABLE IF NOT EXISTS bench_commits (id bytea PRIMARY KEY, at timestamptz DEFAULT now())');
const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
const latencies = new Latencies();
const cpu = process.cpuUsage();
const begun = performance.now();

await Promise.all(
  clients.map(async (client) => {
    for (let now = begun; now - begun < Number(seconds) * 1000;) {
      await client.query({ name: 'i', text: 'INSERT INTO bench_commits (id) VALUES ($1)', values: [randomBytes(32)] });
      const after = performance.now();
      latencies.add(after - now);
      now = after;
    }
  }),
);
const { user, system } = process.cpuUsage(cpu);
process.send({ ...latencies.summary(), seconds: Number(seconds), cpuMs: (user + system) / 1000 });
clients.forEach((client) => client.release());
await pool.end();
process.disconnect();
