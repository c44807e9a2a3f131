import { describe, expect, it } from '@jest/globals';
import {
  contrast,
  EDGE_CONTRAST,
  mixed,
  standingOut,
  TEXT_CONTRAST,
  textOn,
} from '../../../../../src/common/pages/brand/contrast.js';
import fc from '../../../../support/fast-check.js';

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('Contrast', () => {
  it('matches the published ratios of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    expect(contrast('#ffffff', '#767676')).toBeCloseTo(4.54, 2);
    expect(contrast('#123456', '#123456')).toBe(1);
  });

  it('chooses white on dark colors and black on bright ones', () => {
    expect([textOn('#1e3a8a'), textOn('#facc15')]).toEqual(['#ffffff', '#000000']);
  });

  it('makes text readable (AA) on every color', () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        expect(contrast(color, textOn(color))).toBeGreaterThanOrEqual(TEXT_CONTRAST);
      }),
    );
  });

  it('makes links of any color readable on any surface that is clearly light or dark', () => {
    fc.assert(
      fc.property(anyColor, fc.constantFrom('#ffffff', '#f4f5f8', '#181c24', '#000000'), (color, surface) => {
        expect(contrast(standingOut(color, surface), surface)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
      }),
    );
  });

  it('does not change a color with enough contrast', () => {
    expect(standingOut('#0f766e', '#ffffff')).toBe('#0f766e');
  });

  it('is lower for the edge of a button than for text', () => {
    const edge = standingOut('#ffffff', '#ffffff', EDGE_CONTRAST);
    expect(contrast(edge, '#ffffff')).toBeGreaterThanOrEqual(EDGE_CONTRAST);
    expect(contrast(edge, '#ffffff')).toBeLessThan(TEXT_CONTRAST);
  });

  it('mixes from one color to the other', () => {
    expect(mixed('#000000', '#ffffff', 0)).toBe('#000000');
    expect(mixed('#000000', '#ffffff', 0.5)).toBe('#808080');
    expect(mixed('#0a0000', '#000000', 1)).toBe('#000000');
  });
});
