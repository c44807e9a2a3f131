import { cachedDataVersionTag } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import { withoutOptimising } from '../../../src/without-optimising.js';
import { eventually } from '../../support/wait.js';

/** It changes with the options of V8. */
const options = (): number => cachedDataVersionTag();

describe('V8’s optimising compiler', () => {
  const usual = options();

  it('is off while a process starts, and on when it is up', async () => {
    let during = usual;
    await withoutOptimising(() => {
      during = options();
      return Promise.resolve();
    });
    expect(during).not.toBe(usual);
    expect(options()).toBe(usual);
  });

  it('is on after a start that fails', async () => {
    await expect(withoutOptimising(() => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(options()).toBe(usual);
  });

  it('is on after some time of a command that takes longer', async () => {
    let end = (): void => undefined;
    const command = withoutOptimising(() => new Promise((resolve) => (end = resolve)), 1);
    await eventually('it is on', () => options() === usual);
    end();
    await command;
  });
});
