import type { NextFunction, Request, Response } from 'express';

/** Pages and redirects that an app may have opened in its own window. */
const IN_POPUPS = /^\/(?:login|sign-in|oauth|logout)(?:\/|$)/;

/**
 * Many libraries sign in by a popup. With `same-origin` the browser cuts it off from the window that opened it: that
 * sees a closed popup as soon as our page shows, and the app's own callback finds no opener. These pages cannot be framed
 * and hold no handle of their opener; everything else, the console and the account above all, stays as it is.
 */
export function leavePopupsTheirOpener(request: Request, response: Response, next: NextFunction): void {
  if (IN_POPUPS.test(request.path)) response.setHeader('Cross-Origin-Opener-Policy', 'unsafe-none');
  next();
}
