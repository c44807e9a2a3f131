import { describe, expect, it } from '@jest/globals';
import { MicroBatch } from '../../../../src/common/concurrency/micro-batch.js';

/** A batch at a time, ended by hand. */
function batchesByHand(longestWaitMs?: number) {
  const begun: { inputs: readonly string[]; end: (error?: Error) => void }[] = [];
  const work = (inputs: readonly string[]) =>
    new Promise<string[]>((resolve, reject) =>
      begun.push({ inputs, end: (error) => (error ? reject(error) : resolve(inputs.map((each) => `${each}!`))) }),
    );
  return { begun, batch: new MicroBatch(work, 2, 1, longestWaitMs) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

const isDone = async (promises: Promise<string>[]) => (await Promise.allSettled(promises)).map(({ status }) => status);

describe('MicroBatch', () => {
  it('takes together what one turn of the event loop brings, and what comes meanwhile into the next batches', async () => {
    const { begun, batch } = batchesByHand();
    const answers = ['a', 'b', 'c', 'd'].map((each) => batch.run(each));
    expect(begun).toEqual([]);
    await turn();
    expect(begun.map(({ inputs }) => inputs)).toEqual([['a', 'b']]);
    begun[0]!.end();
    expect(await Promise.all(answers.slice(0, 2))).toEqual(['a!', 'b!']);
    expect(begun[1]!.inputs).toEqual(['c', 'd']);
    const late = batch.run('e');
    begun[1]!.end();
    expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!']);
    await turn();
    begun[2]!.end();
    expect(await late).toBe('e!');
  });

  it('fails only the batch whose work fails, where waiting is not limited', async () => {
    const { begun, batch } = batchesByHand();
    const answers = ['a', 'x', 'b'].map((each) => batch.run(each));
    await turn();
    begun[0]!.end(new Error('away'));
    expect(await isDone(answers.slice(0, 2))).toEqual(['rejected', 'rejected']);
    begun[1]!.end();
    expect(await answers[2]).toBe('b!');
  });

  // F19: a request waited for the time limit of the batch before it, and then for its own.
  it('fails with a batch what has waited too long behind it, and takes the next', async () => {
    const { begun, batch } = batchesByHand(0);
    const answers = ['a', 'b', 'c', 'd'].map((each) => batch.run(each));
    await turn();
    begun[0]!.end(new Error('away'));
    expect(await isDone(answers)).toEqual(Array(4).fill('rejected'));
    const next = batch.run('e');
    await turn();
    begun[1]!.end();
    expect(await next).toBe('e!');
  });

  it('refuses what has waited too long behind a slow batch, and does not begin it', async () => {
    const { begun, batch } = batchesByHand(0);
    const answers = ['a', 'b', 'c'].map((each) => batch.run(each));
    await turn();
    begun[0]!.end();
    expect(await isDone(answers)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    await expect(answers[2]).rejects.toMatchObject({ kind: 'unavailable', detail: 'Too many requests at once' });
    await turn();
    expect(begun).toHaveLength(1);
  });

  it('lets those wait on whose time is not over', async () => {
    const { begun, batch } = batchesByHand(600_000);
    const answers = ['a', 'x', 'b'].map((each) => batch.run(each));
    await turn();
    begun[0]!.end(new Error('away'));
    expect(await isDone(answers.slice(0, 2))).toEqual(['rejected', 'rejected']);
    begun[1]!.end();
    expect(await answers[2]).toBe('b!');
  });
});
