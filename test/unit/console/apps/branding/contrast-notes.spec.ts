import { describe, expect, it } from '@jest/globals';
import { contrastNotes } from '../../../../../src/console/apps/branding/contrast-notes.js';

describe('Contrast notes of the branding page', () => {
  it('say how well text reads on the color, and nothing else where links keep it', () => {
    expect(contrastNotes('#767676')[0]).toBe(
      'Black text on the main button has a contrast of 4.6 : 1. WCAG AA asks for 4.5 : 1.',
    );
  });

  it('say how links of a bright color are changed in the light theme', () => {
    const notes = contrastNotes('#ffff00');
    expect(notes[0]).toContain('Black text on the main button has a contrast of 19.5 : 1.');
    expect(notes[1]).toMatch(/^Links are darker in the light theme \(#[0-9a-f]{6}\), because #ffff00 would have a/);
    expect(notes).toHaveLength(2);
  });

  it('say how links of a dark color are changed in the dark theme', () => {
    const notes = contrastNotes('#111827');
    expect(notes[0]).toContain('White text');
    expect(notes[1]).toMatch(/^Links are lighter in the dark theme/);
    expect(notes).toHaveLength(2);
  });
});
