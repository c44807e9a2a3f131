import { setTimeout as sleep } from 'node:timers/promises';
import { kept } from './kept.js';

/** Slow is not wrong, only stuck is. Shorter for files of which it is known that they leave something behind. */
const MS_TO_CLOSE = Number(process.env.TEST_MS_TO_CLOSE ?? 30_000);
const MS_BETWEEN_LOOKS = 20;
const WORDS = {
  TCPServerWrap: 'a listening server (an app that was not closed?)',
  PipeServerWrap: 'a listening socket',
  ProcessWrap: 'a child process',
  UDPWrap: 'a UDP socket',
  Worker: 'a worker thread',
};

/** Once, when they are loaded: libvips. */
const SET_BY_LIBRARIES = new Set(['VIPSHOME']);

/** What a test file must not leave behind for the next one in the same process. */
export class Leftovers {
  #resources = resources();
  #environment = { ...process.env };
  #folder = process.cwd();

  /** @returns sentences; puts back what can be put back */
  async since() {
    return [...(await this.#resourcesLeft()), ...this.#environmentLeft(), ...this.#folderLeft()];
  }

  /** Closing takes a moment. */
  async #resourcesLeft() {
    for (const deadline = Date.now() + MS_TO_CLOSE; ; await sleep(MS_BETWEEN_LOOKS)) {
      const left = Object.entries(resources()).filter(([kind, count]) => count > (this.#resources[kind] ?? 0));
      if (left.length === 0 || Date.now() > deadline) {
        return left.map(([kind, count]) => `${count - (this.#resources[kind] ?? 0)} × ${WORDS[kind] ?? kind}`);
      }
    }
  }

  #environmentLeft() {
    const names = new Set([...Object.keys(process.env), ...Object.keys(this.#environment)]);
    const changed = [...names].filter(
      (name) => process.env[name] !== this.#environment[name] && !SET_BY_LIBRARIES.has(name),
    );
    for (const name of changed) {
      if (name in this.#environment) process.env[name] = this.#environment[name];
      else delete process.env[name];
    }
    return changed.map((name) => `a changed process.env.${name}`);
  }

  #folderLeft() {
    if (process.cwd() === this.#folder) return [];
    process.chdir(this.#folder);
    return ['another working directory'];
  }
}

function resources() {
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind in WORDS) counts[kind] = (counts[kind] ?? -(kept[kind] ?? 0)) + 1;
  }
  return counts;
}
