import { FALLBACK_COLOR, type Brand } from './brand.js';
import { contrast, EDGE_CONTRAST, filled, mixed, standingOut } from './contrast.js';

/** The surfaces behind text in the brand's colour; `assets/tokens.css` paints them. */
export const LIGHT_SURFACE = '#f4f5f8';
export const DARK_SURFACE = '#181c24';

/** Below this, a filled button looks like one without a fill. */
const LEAST_FILL_CONTRAST = 1.5;

const COLOR = /^#[0-9a-f]{6}$/;
const LOGO_HEIGHT = { least: 16, most: 96 } as const;

/** A main button: its colour, that under the mouse, and that of its text. */
export interface Button {
  readonly fill: string;
  readonly fillHover: string;
  readonly onFill: string;
}

/** Values for the page's style block: colours are `#rrggbb` by construction, so nothing else can enter the CSS. */
export interface BrandTheme {
  readonly fill: string;
  readonly fillHover: string;
  readonly onFill: string;
  /** The same on the dark surface: a lighter fill where the colour is hardly told from it. */
  readonly dark: Button;
  readonly linkOnLight: string;
  readonly linkOnDark: string;
  readonly edgeOnLight: string;
  readonly edgeOnDark: string;
  /** Pixels. */
  readonly logoHeight: number;
}

export function brandTheme(brand: Brand): BrandTheme {
  const color = COLOR.test(brand.primaryColor) ? brand.primaryColor : FALLBACK_COLOR;
  const light = button(color);
  const background = light.fill;
  const isLost = contrast(background, DARK_SURFACE) < LEAST_FILL_CONTRAST;
  return {
    ...light,
    dark: isLost ? button(standingOut(color, DARK_SURFACE, EDGE_CONTRAST)) : light,
    linkOnLight: standingOut(color, LIGHT_SURFACE),
    linkOnDark: standingOut(color, DARK_SURFACE),
    edgeOnLight: standingOut(background, LIGHT_SURFACE, EDGE_CONTRAST),
    edgeOnDark: standingOut(background, DARK_SURFACE, EDGE_CONTRAST),
    logoHeight: logoHeight(brand.logoHeight),
  };
}

function button(color: string): Button {
  const { background, text } = filled(color);
  // Away from the text, so that hovering never costs contrast.
  const away = text === '#ffffff' ? '#000000' : '#ffffff';
  return { fill: background, fillHover: mixed(background, away, 0.14), onFill: text };
}

function logoHeight(wanted: number): number {
  if (!Number.isFinite(wanted)) return 40;
  return Math.round(Math.min(Math.max(wanted, LOGO_HEIGHT.least), LOGO_HEIGHT.most));
}
