import type { Request } from 'express';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_COOKIE = 'theme';

/** Theme that the reader chose in this browser; `system` without the cookie. It is a preference, not a secret. */
export function themeOf(request: Pick<Request, 'cookies'>): Theme {
  const cookies = (request.cookies ?? {}) as Record<string, unknown>;
  const chosen = cookies[`__Host-${THEME_COOKIE}`] ?? cookies[THEME_COOKIE];
  return THEMES.find((theme) => theme === chosen) ?? 'system';
}
