import { describe, expect, it } from '@jest/globals';
import { UploadSlots } from '../../../src/apps/logo/upload-slots.js';

describe('Places for uploads', () => {
  it('are bounded in all and for each person, and come back', () => {
    const slots = new UploadSlots(3, 2);
    const [first] = [slots.take('a'), slots.take('a')];
    expect(() => slots.take('a')).toThrow('Too many uploads at once');
    slots.take('b');
    expect(() => slots.take('c')).toThrow('Too many uploads at once');
    first();
    slots.take('c');
    expect(() => slots.take('b')).toThrow('Too many uploads at once');
  });

  it('come back once, however often they are given', () => {
    const slots = new UploadSlots(1, 1);
    const giveBack = slots.take('a');
    giveBack();
    giveBack();
    slots.take('a');
    expect(() => slots.take('b')).toThrow('Too many uploads at once');
  });
});
