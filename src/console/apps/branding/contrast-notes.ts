import { contrast, standingOut, TEXT_CONTRAST, textOn } from '../../../common/pages/brand/contrast.js';
import { DARK_SURFACE, LIGHT_SURFACE } from '../../../common/pages/brand/brand-theme.js';

/** How readable an app's color is (WCAG 2.2, 1.4.3), and how pages adjust it. @param color `#rrggbb` */
export function contrastNotes(color: string): string[] {
  const text = textOn(color);
  const name = text === '#ffffff' ? 'White' : 'Black';
  const requested = `WCAG AA asks for ${TEXT_CONTRAST} : 1.`;
  return [
    `${name} text on the main button has a contrast of ${ratio(contrast(color, text))}. ${requested}`,
    ...linkNote(color, LIGHT_SURFACE, 'light', 'darker'),
    ...linkNote(color, DARK_SURFACE, 'dark', 'lighter'),
  ];
}

function linkNote(color: string, surface: string, theme: string, how: string): string[] {
  const link = standingOut(color, surface);
  if (link === color) return [];
  const before = ratio(contrast(color, surface));
  return [
    `Links are ${how} in the ${theme} theme (${link}), because ${color} would have a contrast of ${before} there.`,
  ];
}

/** Rounded down: 4.49 is not 4.5. */
function ratio(value: number): string {
  return `${(Math.floor(value * 10) / 10).toFixed(1)} : 1`;
}
