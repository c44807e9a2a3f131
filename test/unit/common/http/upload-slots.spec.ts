import { describe, expect, it } from '@jest/globals';
import { NotAuthenticated } from '../../../../src/common/http/http.refusals.js';
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

  it('are waited for, first come first served as far as their holder has room', async () => {
    const slots = new UploadSlots(2, 1);
    const came: string[] = [];
    const [a, b] = [slots.take('a'), slots.take('b')];
    const patient = new AbortController();
    const wait = async (holder: string, name: string, { signal } = patient) => {
      const giveBack = await slots.wait(holder, signal);
      came.push(name);
      return giveBack;
    };
    const others = [wait('a', 'a2'), wait('b', 'b2'), wait('a', 'a3'), wait('c', 'c')] as const;
    b();
    (await others[1])();
    (await others[3])();
    a();
    (await others[0])();
    (await others[2])();
    expect(came).toEqual(['b2', 'c', 'a2', 'a3']);
    (await slots.wait('a', patient.signal))();
  });

  it('are no longer waited for when the signal ends that', async () => {
    const slots = new UploadSlots(1, 1);
    const giveBack = slots.take('a');
    const [late, gone] = [new AbortController(), new AbortController()];
    const waiting = [slots.wait('b', late.signal), slots.wait('c', gone.signal)] as const;
    late.abort();
    gone.abort(new NotAuthenticated());
    await expect(waiting[0]).rejects.toThrow('Too many uploads at once');
    await expect(waiting[1]).rejects.toThrow('Not authenticated');
    giveBack();
    slots.take('d')();
    slots.take('a');
    await expect(slots.wait('b', late.signal)).rejects.toThrow('Too many uploads at once');
  });
});
