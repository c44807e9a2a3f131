import { type Brand, colorOf } from './brand.js';
import { contrast, EDGE_CONTRAST, mixed, standingOut, textOn } from './contrast.js';

/** Backgrounds behind text in the brand's color, as in `assets/tokens.css`. */
export const LIGHT_SURFACE = '#f4f5f8';
export const DARK_SURFACE = '#181c24';

/** Below this contrast, a filled button looks like one without a fill. */
const MIN_FILL_CONTRAST = 1.5;

const LOGO_HEIGHT = { least: 16, most: 96 } as const;

/** Colors of a main button: fill, fill on hover, and text. */
export interface Button {
  readonly fill: string;
  readonly fillHover: string;
  readonly onFill: string;
}

/** Values for the page's style block. Colors always have the form `#rrggbb`, so no other CSS can be injected. */
export interface BrandTheme {
  readonly fill: string;
  readonly fillHover: string;
  readonly onFill: string;
  /** The button on dark surfaces, with a lighter fill if the color is hard to see there. */
  readonly dark: Button;
  readonly linkOnLight: string;
  readonly linkOnDark: string;
  readonly edgeOnLight: string;
  readonly edgeOnDark: string;
  /** In pixels. */
  readonly logoHeight: number;
}

export function brandTheme(brand: Brand): BrandTheme {
  const color = colorOf(brand);
  const light = button(color);
  const isLost = contrast(color, DARK_SURFACE) < MIN_FILL_CONTRAST;
  return {
    ...light,
    dark: isLost ? button(standingOut(color, DARK_SURFACE, EDGE_CONTRAST)) : light,
    linkOnLight: standingOut(color, LIGHT_SURFACE),
    linkOnDark: standingOut(color, DARK_SURFACE),
    edgeOnLight: standingOut(color, LIGHT_SURFACE, EDGE_CONTRAST),
    edgeOnDark: standingOut(color, DARK_SURFACE, EDGE_CONTRAST),
    logoHeight: logoHeight(brand.logoHeight),
  };
}

function button(fill: string): Button {
  const onFill = textOn(fill);
  // The fill moves away from the text color, so that hovering never reduces the contrast.
  const away = onFill === '#ffffff' ? '#000000' : '#ffffff';
  return { fill, fillHover: mixed(fill, away, 0.14), onFill };
}

function logoHeight(wanted: number): number {
  if (!Number.isFinite(wanted)) return 40;
  return Math.round(Math.min(Math.max(wanted, LOGO_HEIGHT.least), LOGO_HEIGHT.most));
}
