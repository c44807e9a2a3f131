// npm start: builds if needed, then becomes the service (same process, so that Ctrl-C arrives once and ends it cleanly).
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';

const MILLISECONDS_BETWEEN_LOOKS = 300;

if (!buildIfStale()) {
  console.error('The build failed; nothing was started.');
  process.exit(1);
}
if (process.env.npm_lifecycle_event === 'start') endWithNpm();
const main = new URL('../dist/main.js', import.meta.url);
process.argv[1] = fileURLToPath(main);
await import(main.href);

/**
 * npm runs us below a shell and hands a SIGTERM to that shell only, which dies of it and leaves us running unseen.
 * A signal that ends npm is meant for the service: when npm or its shell is gone, the service gets SIGTERM.
 */
function endWithNpm() {
  const atStart = ancestors();
  const watch = setInterval(() => {
    if (ancestors() === atStart) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, MILLISECONDS_BETWEEN_LOOKS);
  watch.unref();
}

/** Process numbers of the shell and, where it can be had for nothing, of npm above it. */
function ancestors() {
  const shell = process.ppid;
  if (process.platform !== 'linux') return `${shell}`;
  try {
    const stat = readFileSync(`/proc/${shell}/stat`, 'latin1');
    return `${shell} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    return `${process.ppid}`;
  }
}
