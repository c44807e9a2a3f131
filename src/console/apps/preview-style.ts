import type { BrandTheme } from '../../common/pages/brand-theme.js';

/** All values are `#rrggbb` and a number by construction: nothing that a user typed gets into the style sheet. */
export function previewStyle(theme: BrandTheme): string {
  return `.preview {
  --brand-fill: ${theme.fill};
  --brand-fill-hover: ${theme.fillHover};
  --brand-on-fill: ${theme.onFill};
  --link: ${theme.linkOnLight};
  --edge: ${theme.edgeOnLight};
  --logo-height: ${theme.logoHeight}px;
}
@media (prefers-color-scheme: dark) {
  .preview {
    --brand-fill: ${theme.dark.fill};
    --brand-fill-hover: ${theme.dark.fillHover};
    --brand-on-fill: ${theme.dark.onFill};
    --link: ${theme.linkOnDark};
    --edge: ${theme.edgeOnDark};
  }
}
`;
}
