import { describe, expect, it } from '@jest/globals';
import { UploadSlots } from '../../../../src/common/http/upload-slots.js';

describe('Upload slots', () => {
  it('are limited in total and per user, and are freed', () => {
    const slots = new UploadSlots(3, 2);
    const [first] = [slots.take('a'), slots.take('a')];
    expect(() => slots.take('a')).toThrow('Too many uploads at once');
    slots.take('b');
    expect(() => slots.take('c')).toThrow('Too many uploads at once');
    first();
    slots.take('c');
    expect(() => slots.take('b')).toThrow('Too many uploads at once');
  });

  it('are freed once, even if they are returned repeatedly', () => {
    const slots = new UploadSlots(1, 1);
    const giveBack = slots.take('a');
    giveBack();
    giveBack();
    slots.take('a');
    expect(() => slots.take('b')).toThrow('Too many uploads at once');
  });
});
