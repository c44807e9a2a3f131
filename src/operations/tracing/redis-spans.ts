import { tracingChannel } from 'node:diagnostics_channel';
import { type Span, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';

/** A command in ioredis' diagnostics. Its arguments contain addresses and ids, and are not used. */
interface Command {
  readonly command: string;
  readonly error?: unknown;
}

/** Spans of Redis commands in traces: the name of the command, without keys or values. */
export function traceRedisCommands(tracer: Tracer): void {
  const spans = new WeakMap<object, Span>();
  tracingChannel<unknown, Command>('ioredis:command').subscribe({
    start: (command) => {
      if (!trace.getActiveSpan()?.isRecording()) return;
      const name = command.command.toUpperCase();
      const attributes = { 'db.system.name': 'redis', 'db.operation.name': name };
      spans.set(command, tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }));
    },
    error: (command) => {
      const errorType = command.error instanceof Error ? command.error.name : 'error';
      spans.get(command)?.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
    },
    asyncEnd: (command) => spans.get(command)?.end(),
    end: () => undefined,
    asyncStart: () => undefined,
  });
}
