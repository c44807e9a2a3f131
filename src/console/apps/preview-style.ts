import type { BrandTheme } from '../../common/pages/brand-theme.js';

/** All values are `#rrggbb` and a number by construction: nothing that a user typed gets into the style sheet. */
export function previewStyle(theme: BrandTheme): string {
  return `.preview {
  --brand-fill: light-dark(${theme.fill}, ${theme.dark.fill});
  --brand-fill-hover: light-dark(${theme.fillHover}, ${theme.dark.fillHover});
  --brand-on-fill: light-dark(${theme.onFill}, ${theme.dark.onFill});
  --link: light-dark(${theme.linkOnLight}, ${theme.linkOnDark});
  --edge: light-dark(${theme.edgeOnLight}, ${theme.edgeOnDark});
  --logo-height: ${theme.logoHeight}px;
}
`;
}
