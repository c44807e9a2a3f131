import { SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { core, NodeSDK, resources } from '@opentelemetry/sdk-node';
import type { Tracing } from '../../common/tracing/tracing.js';
import { traceOutgoingRequests } from './outgoing-spans.js';
import { traceRedisCommands } from './redis-spans.js';
import { requestSpans } from './request-spans.js';
import { traceStatements } from './statement-spans.js';

const NAME = 'identity-broker';

export interface StartedTracing extends Tracing {
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

/**
 * Starts OpenTelemetry's SDK, which reads its own standard variables, and creates spans at explicit places: the first
 * middleware, the database driver, Redis, the queues, outgoing requests. Hooks into `import` and `require` would find
 * nothing, because all code is in one bundle. Only the files of this folder import OpenTelemetry.
 *
 * Only environment variables and the host name describe the process, not its command line and its user.
 */
export function startTracing(trustsCallers: boolean): StartedTracing {
  const sdk = new NodeSDK({
    resource: resources.resourceFromAttributes({ 'service.name': NAME }),
    resourceDetectors: [resources.hostDetector, resources.envDetector],
    textMapPropagator: new core.W3CTraceContextPropagator(),
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const tracer = trace.getTracer(NAME);
  traceStatements(tracer);
  traceRedisCommands(tracer);
  traceOutgoingRequests(tracer);
  return {
    requests: requestSpans(tracer, trustsCallers),
    attempt: (queue, what, work) => attempt(tracer, queue, what, work),
    stop: () => sdk.shutdown(),
  };
}

function attempt<T>(tracer: Tracer, queue: string, what: string, work: () => Promise<T>): Promise<T> {
  const attributes = {
    'messaging.operation.type': 'process',
    'messaging.destination.name': queue,
    'messaging.operation.name': what,
  };
  return tracer.startActiveSpan(`process ${what}`, { kind: SpanKind.CONSUMER, root: true, attributes }, (span) =>
    work()
      .catch((error: unknown) => {
        const errorType = error instanceof Error ? error.name : typeof error;
        span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      })
      .finally(() => span.end()),
  );
}
