import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isUuid } from '../../../common/validation/fields.js';
import type { LiveSession } from '../../session/sso-sessions.repository.js';
import type { AuthorizationRequest } from '../authorization-request/authorization-request.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import type { SignInAttempt } from './sign-in-attempt.entity.js';
import { ATTEMPT_SECONDS, SignInAttempts } from './sign-in-attempts.service.js';

/** An attempt, and the secret of the browser that it is bound to. */
export interface BoundAttempt {
  readonly attempt: SignInAttempt;
  readonly secret: string;
}

/**
 * Binds attempts to the browser of a request, and finds them again by its secret. Every start and every continuation of
 * an attempt uses it.
 */
@Injectable()
export class BrowserAttempts {
  constructor(
    private readonly attempts: SignInAttempts,
    private readonly browser: BrowserBinding,
  ) {}

  /** @param session of this browser, if the sign-in begins with it */
  async begin(
    appId: string,
    requested: AuthorizationRequest,
    session: LiveSession | null,
    request: Request,
    response: Response,
  ): Promise<BoundAttempt> {
    const secret = this.browser.ensure(request, response);
    const hash = this.browser.hash(secret);
    const attempt = await this.attempts.begin(appId, requested, hash, session);
    this.browser.keepForAttempt(request, response, attempt.id, secret, ATTEMPT_SECONDS);
    return { attempt, secret };
  }

  /** @returns null if there is no such attempt, it belongs to another browser, or it has expired */
  async find(id: unknown, request: Request): Promise<BoundAttempt | null> {
    if (!isUuid(id)) return null;
    const attemptId = id.toLowerCase();
    const secret = this.browser.readForAttempt(request, attemptId);
    const attempt = secret && (await this.attempts.find(attemptId, this.browser.hash(secret)));
    return attempt ? { attempt, secret } : null;
  }
}
