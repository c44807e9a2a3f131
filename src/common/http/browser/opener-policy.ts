import type { NextFunction, Request, Response } from 'express';

/** Pages and redirects that an app may open in a popup. */
const IN_POPUPS = /^\/(?:login|sign-in|oauth|logout)(?:\/|$)/;

/**
 * Many libraries sign in through a popup. With `same-origin`, the browser separates the popup from the window that
 * opened it: that window sees a closed popup as soon as a page of the service loads, and the app's callback has no
 * `opener`. These pages cannot be framed and do not use their opener. All other pages, such as the console and the
 * account page, keep `same-origin`.
 */
export function leavePopupsTheirOpener(request: Request, response: Response, next: NextFunction): void {
  if (IN_POPUPS.test(request.path)) response.setHeader('Cross-Origin-Opener-Policy', 'unsafe-none');
  next();
}
