import { createHash } from 'node:crypto';
import SequencerModule from '@jest/test-sequencer';
import { placeOf } from './longest.js';

const Sequencer = SequencerModule.default ?? SequencerModule;
const ORDER = ['unit', 'db', 'e2e', 'conformance', 'browser'];

/**
 * One project after the other, within each what failed last and what takes longest first. `TEST_ORDER=<any word>` mixes
 * all files instead, always alike for the same word: a file must pass whatever ran before it in its process.
 */
export default class ProjectSequencer extends Sequencer {
  sort(tests) {
    const word = process.env.TEST_ORDER;
    if (word) return [...tests].sort((a, b) => (hash(word, a) < hash(word, b) ? -1 : 1));
    const sorted = [...super.sort(tests)];
    const isFirstRun = sorted.every(({ duration }) => duration === undefined);
    return sorted.sort((a, b) => rank(a) - rank(b) || (isFirstRun ? placeOf(a) - placeOf(b) : 0));
  }
}

function rank({ context }) {
  return ORDER.indexOf(context.config.displayName.name);
}

function hash(word, { path }) {
  return createHash('sha1').update(`${word} ${path}`).digest('hex');
}
