import { describe, expect, it } from '@jest/globals';
import { MicroBatch } from '../../../src/common/micro-batch.js';

/** A batch at a time, ended by hand. */
function batchesByHand(longestWaitMs?: number) {
  const begun: { inputs: readonly string[]; end: (error?: Error) => void }[] = [];
  const work = (inputs: readonly string[]) =>
    new Promise<string[]>((resolve, reject) =>
      begun.push({ inputs, end: (error) => (error ? reject(error) : resolve(inputs.map((each) => `${each}!`))) }),
    );
  return { begun, batch: new MicroBatch(work, 2, 1, longestWaitMs) };
}

const isDone = async (promises: Promise<string>[]) => (await Promise.allSettled(promises)).map(({ status }) => status);

describe('MicroBatch', () => {
  it('starts the first at once, and what comes meanwhile goes into the next batches', async () => {
    const { begun, batch } = batchesByHand();
    const answers = ['a', 'b', 'c', 'd'].map((each) => batch.run(each));
    expect(begun.map(({ inputs }) => inputs)).toEqual([['a']]);
    begun[0]!.end();
    expect(await answers[0]).toBe('a!');
    expect(begun[1]!.inputs).toEqual(['b', 'c']);
    begun[1]!.end();
    expect(await Promise.all(answers.slice(0, 3))).toEqual(['a!', 'b!', 'c!']);
    begun[2]!.end();
    expect(await answers[3]).toBe('d!');
  });

  it('fails only the batch whose work fails, where waiting is not limited', async () => {
    const { begun, batch } = batchesByHand();
    const answers = ['a', 'b'].map((each) => batch.run(each));
    begun[0]!.end(new Error('away'));
    await expect(answers[0]).rejects.toThrow('away');
    begun[1]!.end();
    expect(await answers[1]).toBe('b!');
  });

  // F19: a request waited for the time limit of the batch before it, and then for its own.
  it('fails with a batch what has waited too long behind it, and takes the next', async () => {
    const { begun, batch } = batchesByHand(0);
    const answers = ['a', 'b', 'c', 'd'].map((each) => batch.run(each));
    begun[0]!.end(new Error('away'));
    expect(await isDone(answers)).toEqual(Array(4).fill('rejected'));
    const next = batch.run('e');
    begun[1]!.end();
    expect(await next).toBe('e!');
  });

  it('lets those wait on whose time is not over', async () => {
    const { begun, batch } = batchesByHand(600_000);
    const answers = ['a', 'b'].map((each) => batch.run(each));
    begun[0]!.end(new Error('away'));
    await expect(answers[0]).rejects.toThrow('away');
    begun[1]!.end();
    expect(await answers[1]).toBe('b!');
  });
});
