// npm run bench:soak [-- --minutes=30] [--clients=8]: does anything grow while the service works? See README.md.
import { register } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestServers } from '../test/support/servers/test-servers.js';

// Parts of the tests' support import what jest offers to test files.
register('../test/support/runner/globals-hook.js', import.meta.url);

const option = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
const minutes = Number(option('minutes') ?? 30);
const clients = Number(option('clients') ?? 8);
if (!(minutes > 0) || !(clients > 0)) {
  console.error('Usage: npm run bench:soak [-- --minutes=30] [--clients=8]');
  process.exit(2);
}

const SAMPLES = 60;
/** Counted in Redis as in production, and raised out of the way. */
const RATE_LIMITS = ['login_email', 'login_ip', 'code_failures', 'admin', 'forgot_password_ip', 'mail_ip']
  .map((label) => `${label}=999999999/900`)
  .join(',');

await TestServers.shared();
try {
  const { OwnPostgres } = await import('../test/faults/own-postgres.js');
  const { underLoad } = await import('../test/faults/under-load.js');
  const { compareThirds, takeSample } = await import('./soak-samples.js');
  const postgres = await OwnPostgres.start();
  const env = { RATE_LIMITS };
  const { broken, figures } = await underLoad({ databaseUrl: postgres.url, clients, env }, async (scene) => {
    const samples = [];
    for (let number = 0; number < SAMPLES; number++) {
      await sleep((minutes * 60_000) / SAMPLES);
      samples.push(await takeSample(scene));
    }
    console.log(`| ${clients} clients, ${minutes} minutes | first third | last third | may grow by | |`);
    console.log('|---|---:|---:|---|---|');
    const rows = compareThirds(samples);
    for (const { measure, first, last, isFlat } of rows)
      console.log(
        `| ${measure.name} | ${first.toFixed(0)} | ${last.toFixed(0)} | ${measure.limit} | ${isFlat ? 'flat' : 'grows'} |`,
      );
    const { failed, total } = scene.load;
    const grown = rows.filter(({ isFlat }) => !isFlat).map(({ measure }) => `more ${measure.name}`);
    return { figures: `${total} requests`, broken: failed > 0 ? [...grown, `${failed} requests failed`] : grown };
  });
  await postgres.stop();
  console.log(`\n${figures}\nVerdict: ${broken.length === 0 ? 'flat' : broken.join('; ')}`);
  process.exitCode = broken.length === 0 ? 0 : 1;
} finally {
  await TestServers.stopShared();
}
process.exit();
