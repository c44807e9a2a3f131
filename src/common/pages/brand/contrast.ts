/** Colors are `#rrggbb`. Luminance and contrast as in WCAG 2.2, "relative luminance" and "contrast ratio". */

/** WCAG 2.2, 1.4.3: text against its background. */
export const TEXT_CONTRAST = 4.5;
/** WCAG 2.2, 1.4.11: the border of a control against its surroundings. */
export const EDGE_CONTRAST = 3;

const BLACK = '#000000';
const WHITE = '#ffffff';
const STEP = 0.02;

export function contrast(one: string, other: string): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Text on an app's color: black or white, whichever has the higher contrast. One of them always reaches 4.5:1. */
export function textOn(color: string): string {
  return contrast(color, BLACK) >= contrast(color, WHITE) ? BLACK : WHITE;
}

/**
 * The color itself if its contrast with the surface is sufficient, otherwise a darker one (on a light surface) or a
 * lighter one (on a dark surface).
 */
export function standingOut(color: string, surface: string, minimum = TEXT_CONTRAST): string {
  return movedUntil(color, textOn(surface), surface, minimum);
}

/** The color at `share` (0 to 1) between the two, in sRGB. */
export function mixed(from: string, to: string, share: number): string {
  const target = channels(to);
  const parts = channels(from).map((value, index) => Math.round(value + (target[index]! - value) * share));
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function movedUntil(color: string, towards: string, against: string, minimum: number): string {
  for (let share = 0; share < 1; share += STEP) {
    const candidate = mixed(color, towards, share);
    if (contrast(candidate, against) >= minimum) return candidate;
  }
  return towards;
}

function luminance(color: string): number {
  const [red, green, blue] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(color: string): [number, number, number] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number, number];
}
