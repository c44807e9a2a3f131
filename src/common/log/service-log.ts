import { type DestinationStream, type Logger, pino } from 'pino';
import { Counter, register } from 'prom-client';

const LOST_LINES = 'identity_log_lines_lost_total';
/** Lines wait up to here while they cannot be written. */
const MAX_WAITING_BYTES = 4 * 1_024 * 1_024;
const RETRY_MS = 1_000;
/** Lines are handed to the volume together: each write goes to another thread and back, which costs more than the line. */
const GATHER_MS = 5;
const GATHER_LENGTH = 32 * 1_024;

/** JSON leaves them as they are. Terminals obey them, and some readers begin a new line at them. */
const CONTROLS = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

let destination: DestinationStream | null = null;

/**
 * The log of the process: JSON lines on standard output, written asynchronously a few milliseconds later. When they cannot be written (a full
 * volume), the process goes on: lines wait in memory, and each new one that finds room there tries again, as does a
 * timer. Those that find no room are lost and counted; once there is space, a warning says how many.
 */
export function serviceLog(level: string): Logger {
  return pino({ level, base: null, timestamp: isoTime }, (destination ??= gathering(openDestination())));
}

/**
 * A line whose fields are JSON already, for what is logged most: pino takes several times as long to write them one by one.
 * @param fields with a comma before each
 */
export function logJson(logger: Logger, level: 'info' | 'error', fields: string): void {
  if (!logger.isLevelEnabled(level)) return;
  destination?.write(`{"level":${pino.levels.values[level]}${isoTime()}${fields}}\n`);
}

let writtenAtMs = 0;
let written = '';

/** As pino's own, but written once for all lines of a millisecond. */
function isoTime(): string {
  const now = Date.now();
  if (now !== writtenAtMs) {
    writtenAtMs = now;
    written = `,"time":"${new Date(now).toISOString()}"`;
  }
  return written;
}

function openDestination(): ReturnType<typeof pino.destination> {
  const opened = pino.destination({ dest: 1, sync: false, maxLength: MAX_WAITING_BYTES });
  const counter =
    (register.getSingleMetric(LOST_LINES) as Counter | undefined) ??
    new Counter({ name: LOST_LINES, help: 'Log lines that found no room while the log could not be written' });
  let lost = 0;
  opened.on('drop', (lines: string) => {
    const count = lines.split('\n').length - 1;
    lost += count;
    counter.inc(count);
  });
  opened.on('drain', () => {
    if (lost === 0) return;
    const warning = `${lost} log lines were lost while the log could not be written`;
    lost = 0;
    serviceLog('warn').warn(warning);
  });
  let retry: NodeJS.Timeout | null = null;
  // A line that finds no room is dropped without an attempt to write: when even the shortest does not fit, only this helps.
  const retryLater = (): void => {
    retry ??= setTimeout(() => {
      retry = null;
      opened.write('');
    }, RETRY_MS).unref();
  };
  let isFailing = false;
  opened.on('write', () => (isFailing = false));
  const onFailure = (): void => {
    isFailing = true;
    retryLater();
  };
  // Without a listener each error would end the process. What was not written stays in the buffer.
  opened.on('error', onFailure);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Called at the end of the process. On a full volume, that of sonic-boom 4.2 tries again for ever.
  const flushSync = opened.flushSync.bind(opened);
  opened.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return opened;
}

/** Also passes on what has been gathered when the process ends: pino then asks the destination to write what it has. */
function gathering(opened: ReturnType<typeof pino.destination>): DestinationStream & { flushSync(): void } {
  let gathered = '';
  let timer: NodeJS.Timeout | null = null;
  const pass = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    const lines = gathered;
    gathered = '';
    if (lines !== '') opened.write(lines);
  };
  const flushSync = opened.flushSync.bind(opened);
  opened.flushSync = () => {
    pass();
    flushSync();
  };
  return {
    write: (line) => {
      gathered += line.replace(CONTROLS, escaped);
      if (gathered.length >= GATHER_LENGTH) pass();
      else timer ??= setTimeout(pass, GATHER_MS);
    },
    flushSync: () => opened.flushSync(),
  };
}

/** In a line they occur inside of JSON texts only. */
function escaped(controls: string): string {
  return Array.from(
    { length: controls.length },
    (_, index) => `\\u${controls.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
