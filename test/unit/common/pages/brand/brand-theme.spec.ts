import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { FALLBACK_COLOR, OWN_BRAND, type Brand } from '../../../../../src/common/pages/brand/brand.js';
import { brandTheme, DARK_SURFACE, LIGHT_SURFACE } from '../../../../../src/common/pages/brand/brand-theme.js';
import { contrast } from '../../../../../src/common/pages/brand/contrast.js';

const brand = (changes: Partial<Brand>): Brand => ({ ...OWN_BRAND, ...changes });

describe('Brand theme', () => {
  it.each(['red', '#FFF', '#2563EB', '#2563eb;}', '#2563eb\n', '', 'url(https://evil.example)'])(
    'uses the default color instead of %j',
    (primaryColor) => {
      expect(brandTheme(brand({ primaryColor })).fill).toBe(FALLBACK_COLOR);
    },
  );

  it('keeps the text on a hovered button as readable as before', () => {
    for (const primaryColor of ['#000000', '#ffffff', '#facc15', '#0f766e', '#777777']) {
      const theme = brandTheme(brand({ primaryColor }));
      expect(contrast(theme.fillHover, theme.onFill)).toBeGreaterThanOrEqual(contrast(theme.fill, theme.onFill));
    }
  });

  it.each(['#111827', '#000000', '#1f2937'])(
    'lightens %s on the dark surface, where its button would not be told',
    (primaryColor) => {
      const { fill, dark } = brandTheme(brand({ primaryColor }));
      expect(contrast(fill, DARK_SURFACE)).toBeLessThan(1.5);
      expect(contrast(dark.fill, DARK_SURFACE)).toBeGreaterThanOrEqual(2.5);
      expect(contrast(dark.fill, dark.onFill)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(['#2563eb', '#facc15', '#0f766e'])('leaves %s as it is on the dark surface', (primaryColor) => {
    const { fill, fillHover, onFill, dark } = brandTheme(brand({ primaryColor }));
    expect(dark).toEqual({ fill, fillHover, onFill });
  });

  it('gives a white button an edge on a white card', () => {
    const { edgeOnLight } = brandTheme(brand({ primaryColor: '#ffffff' }));
    expect(contrast(edgeOnLight, '#ffffff')).toBeGreaterThanOrEqual(3);
  });

  it.each([
    [40, 40],
    [9000, 96],
    [-5, 16],
    [Number.NaN, 40],
    [Number.POSITIVE_INFINITY, 40],
  ])('shows a logo of %d px at %d px', (wanted, shown) => {
    expect(brandTheme(brand({ logoHeight: wanted })).logoHeight).toBe(shown);
  });

  it('calculates with the surface colors of the stylesheet', () => {
    const css = readFileSync(new URL('../../../../../assets/tokens.css', import.meta.url), 'utf8');
    expect(css).toContain(`--page: light-dark(${LIGHT_SURFACE}, `);
    expect(css).toMatch(new RegExp(`--surface: light-dark\\(#[0-9a-f]{6}, ${DARK_SURFACE}\\);`));
  });
});
