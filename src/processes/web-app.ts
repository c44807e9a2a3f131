import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import cookieParser from 'cookie-parser';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { AppModule } from './app.module.js';
import { translateParserErrors } from '../common/http/bodies/parser-errors.js';
import { cors } from '../common/http/browser/cors.js';
import { MAX_BODY_BYTES, isOrdinaryJson } from '../common/http/bodies/large-bodies.js';
import { DirectRoutes } from '../common/http/express/direct-routes.js';
import { EarlyDocuments } from '../common/http/express/early-documents.js';
import { closeSlowReaders } from '../common/http/express/slow-readers.js';
import { LeanExpressAdapter } from '../common/http/express/lean-express-adapter.js';
import { answerMalformedRequests } from '../common/http/bodies/malformed-requests.js';
import { refuseUnknownMediaTypes } from '../common/http/bodies/media-type.middleware.js';
import { normalizeOAuthForms } from '../common/http/bodies/oauth-forms.js';
import { isTokenPath } from '../common/http/bodies/oauth-paths.js';
import { leavePopupsTheirOpener } from '../common/http/browser/opener-policy.js';
import { PinoNestLogger } from '../common/log/pino-nest-logger.js';
import { serviceLog } from '../common/log/service-log.js';
import { requestLog } from '../common/http/request-log.js';
import { tracing } from '../common/tracing/tracing.js';
import type { Settings } from '../config/settings.js';
import { API_VERSION, OpenApiService } from '../docs/open-api.service.js';
import { MetricsService } from '../operations/metrics/metrics.service.js';
import { DpopNonces } from '../tokens/dpop/dpop-nonces.js';
import { offerNonce } from '../tokens/dpop/offer-nonce.js';
import { KnownTokens } from '../tokens/endpoints/issued/known-tokens.js';
import { DiscoveryDocuments } from '../tokens/endpoints/discovery-documents.js';

const HEADERS_TIMEOUT_MS = 10_000;
const BODY_TIMEOUT_MS = 30_000;
/**
 * Longer than a load balancer keeps an idle connection, so that it never writes to a connection that is being closed.
 */
const KEEP_ALIVE_MS = 65_000;

/** The routes that servers of apps call most. */
const BUSIEST_ROUTES = ['/auth/token', '/token/refresh', '/token/verify'] as const;

/** The web application, ready to listen. @throws if the database is unavailable or a route has no access mark */
export async function createWebApp(settings: Settings): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.register(settings), new LeanExpressAdapter(), {
    bodyParser: false,
    abortOnError: false,
    bufferLogs: true,
  });
  configureWebApp(app, settings);
  await app.init();
  return app;
}

/** Adds the middleware before the router. Also used by tests that replace modules by fakes. */
export function configureWebApp(app: NestExpressApplication, settings: Settings): void {
  const logger = serviceLog(settings.logLevel);
  app.useLogger(new PinoNestLogger(logger));
  const express = app.getHttpAdapter().getInstance() as Express;
  // The Express setting of this name has no effect any more, because Nest has already created the router.
  Object.assign(express.router, { caseSensitive: true });
  express.set('etag', false);
  app.set('trust proxy', settings.trustProxy);
  app.disable('x-powered-by');
  const logRequest = requestLog(logger);
  const metrics = app.get(MetricsService, { strict: false });
  const securityHeaders = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    xDownloadOptions: false,
    xDnsPrefetchControl: false,
  });
  app.use((request: Request, response: Response, next: NextFunction) => {
    logRequest(request, response);
    next();
  });
  if (tracing.current) app.use(tracing.current.requests);
  app.use(everyAnswer);
  app.use(securityHeaders);
  app.use(leavePopupsTheirOpener);
  app.use(metrics.observe);
  app.use(cors);
  app.use(offerNonce(app.get(DpopNonces, { strict: false })));
  app.use(cookieParser());
  app.use(refuseUnknownMediaTypes);
  app.useBodyParser('json', { limit: MAX_BODY_BYTES, strict: false, type: isOrdinaryJson });
  app.useBodyParser('urlencoded', { limit: MAX_BODY_BYTES, extended: false });
  app.use(translateParserErrors);
  app.use(normalizeOAuthForms);
  app.get(OpenApiService, { strict: false }).attach(app);
  const adapter: unknown = app.getHttpAdapter();
  if (adapter instanceof LeanExpressAdapter) {
    app.use(adapter.shortcut);
    answerBeforeExpress(app, adapter, logRequest, [everyAnswer, securityHeaders, cors]);
  }
  const server = app.getHttpServer();
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = BODY_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  closeSlowReaders(server);
  answerMalformedRequests(server, logger, API_VERSION);
}

/**
 * Answers the most frequent requests before Express if nothing about them is unusual (docs/decisions/0010).
 * @param middleware whose headers every answer has
 */
function answerBeforeExpress(
  app: NestExpressApplication,
  adapter: LeanExpressAdapter,
  logRequest: ReturnType<typeof requestLog>,
  middleware: readonly RequestHandler[],
): void {
  const metrics = app.get(MetricsService, { strict: false });
  const { sources } = app.get(DiscoveryDocuments, { strict: false });
  const documents = new EarlyDocuments(sources, middleware);
  adapter.answerEarly((request, response) => {
    const document = tracing.current ? null : documents.find(request);
    if (!document) return false;
    const requestId = logRequest(request, response);
    metrics.observe(request, response, () => documents.send(request, response, document, requestId));
    return true;
  });
  const { answers: quickAnswers } = app.get(KnownTokens, { strict: false });
  adapter.whenRouted((find, failed) => {
    const routes = BUSIEST_ROUTES.map((path) => find('POST', path));
    const reply = adapter.reply.bind(adapter);
    const direct = new DirectRoutes(routes, middleware, failed, reply, quickAnswers);
    adapter.answerEarly((request, response) => {
      const route = tracing.current ? null : direct.find(request);
      if (!route) return false;
      const requestId = logRequest(request, response);
      metrics.observe(request, response, () => direct.answer(request, response, route, requestId));
      return true;
    });
  });
}

/**
 * No cache may store an answer unless its handler allows it, because many answers contain tokens, codes and secrets.
 * Only public documents (assets, keys, discovery, the API description) are worth caching.
 */
function everyAnswer(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  // RFC 6749 section 5.1 requires it in addition to Cache-Control.
  if (isTokenPath(request.path)) response.setHeader('Pragma', 'no-cache');
  response.setHeader('X-API-Version', API_VERSION);
  response.setHeader('X-Request-Id', String((request as Request & { id?: unknown }).id));
  next();
}
