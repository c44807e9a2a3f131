// npm run test:faults [-- <word> …] [-- --quick]: injects the faults whose name contains one of the words, or all of them.
// Prints one line a fault and ends with 1 where something was lost, half done or doubled, or where the time of
// --minutes=40 was not enough. See docs/operations.md.
import { register } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestServers } from '../support/servers/test-servers.js';

// Parts of the tests' support import what jest offers to test files.
register('../support/runner/globals-hook.js', import.meta.url);

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const option = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
const options = {
  from: option('from'),
  requests: option('requests'),
  users: Number(option('users') ?? 0),
  share: Number(option('share') ?? 1),
};
const isQuick = process.argv.includes('--quick');
const endsAt = performance.now() + Number(option('minutes') ?? 40) * 60_000;
/** Of a user of F15 with ten refresh tokens, their indexes, and the log of writing them, with room. */
const BYTES_EACH = 12_000;
/** For the servers to end; what then still runs is ended with this process. */
const MAX_STOP_MS = 30_000;

await TestServers.shared(options.users > 0 ? options.users * BYTES_EACH : undefined);
try {
  const { FAULTS } = await import('./list.js');
  const { inject, printed } = await import('./report.js');
  const chosen = FAULTS.filter(({ name }) => words.length === 0 || words.some(named(name)));
  const late: string[] = [];
  const counts = { held: 0, broken: 0, 'not run': 0 };
  for (const fault of chosen) {
    if (isQuick && !fault.quick) continue;
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) {
      late.push(fault.name);
      continue;
    }
    const line = await inject(isQuick ? { ...fault, run: fault.quick! } : fault, options, leftMs);
    counts[line.state]++;
    console.log(printed(line));
  }
  if (late.length > 0) console.log(`No time left for: ${late.join('; ')}`);
  console.log(`${counts.held} held, ${counts.broken} broken, ${counts['not run'] + late.length} not run`);
  process.exitCode = counts.broken > 0 || counts.held === 0 || late.length > 0 ? 1 : 0;
} finally {
  await Promise.race([TestServers.stopShared(), sleep(MAX_STOP_MS)]);
}
process.exit();

/** `F2` is the number and nothing else; other words are parts of the name. */
function named(name: string): (word: string) => boolean {
  return (word) => (/^F\d+$/.test(word) ? name.startsWith(`${word} `) : name.includes(word));
}
