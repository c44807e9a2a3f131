// npm run test:faults [-- <word> …] [-- --quick]: injects the faults whose name contains one of the words, or all of them.
// Prints one line a fault and ends with 1 where something was lost, half done or doubled. See docs/operations.md.
import { register } from 'node:module';
import { Rig } from '../support/servers/rig.js';

// Parts of the tests' support import what jest offers to test files.
register('../support/runner/globals-hook.js', import.meta.url);

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const option = (name: string) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
const options = { from: option('from'), requests: option('requests'), people: Number(option('people') ?? 0) };
const isQuick = process.argv.includes('--quick');

await Rig.shared();
try {
  const { FAULTS } = await import('./list.js');
  const { inject, printed } = await import('./report.js');
  const chosen = FAULTS.filter(({ name }) => words.length === 0 || words.some(named(name)));
  const counts = { held: 0, broken: 0, 'not run': 0 };
  for (const fault of chosen) {
    if (isQuick && !fault.quick) continue;
    const line = await inject(isQuick ? { ...fault, run: fault.quick! } : fault, options);
    counts[line.state]++;
    console.log(printed(line));
  }
  console.log(`${counts.held} held, ${counts.broken} broken, ${counts['not run']} not run`);
  process.exitCode = counts.broken > 0 || counts.held === 0 ? 1 : 0;
} finally {
  await Rig.stopShared();
}
process.exit();

/** `F2` is the number and nothing else; other words are parts of the name. */
function named(name: string): (word: string) => boolean {
  return (word) => (/^F\d+$/.test(word) ? name.startsWith(`${word} `) : name.includes(word));
}
