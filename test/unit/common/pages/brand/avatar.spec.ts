import { describe, expect, it } from '@jest/globals';
import { avatarTone, initials } from '../../../../../src/common/pages/brand/avatar.js';

describe('Initials', () => {
  it.each([
    ['Šárka Hrdličková', 'ŠH'],
    ['Kwame von der Leyen-Hohenstein', 'KL'],
    ['Özlem', 'Ö'],
    ['محمد علي', 'مع'],
    ['ada.byron@example.com', 'AB'],
    ['ada@example.com', 'A'],
    ["'Ada' (Byron)", 'AB'],
    ['!?', '·'],
    ['', '·'],
  ])('of %j are %j', (name, expected) => expect(initials(name)).toBe(expected));
});

describe('The tone of an avatar', () => {
  it('is one of six and always the same for a name', () => {
    const tones = ['Ada', 'Bob', 'Cleo', 'Dora', 'Šárka', '', '🙂'].map(avatarTone);
    for (const tone of tones) expect([1, 2, 3, 4, 5, 6]).toContain(tone);
    expect(avatarTone('Ada')).toBe(tones[0]);
  });
});
