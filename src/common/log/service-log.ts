import { type DestinationStream, type Logger, pino } from 'pino';
import { counter } from '../metrics/process-metrics.js';

/** Maximum size of the lines that wait in memory while they cannot be written. */
const MAX_WAITING_BYTES = 4 * 1_024 * 1_024;
const RETRY_MS = 1_000;
/** Lines are written together, because each write goes to another thread and back, which costs more than the line. */
const GATHER_MS = 5;
const GATHER_LENGTH = 32 * 1_024;

/** Characters that JSON does not escape, but that terminals execute or readers take as line breaks. */
const CONTROLS = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

let destination: DestinationStream | null = null;

/**
 * The log of the process: JSON lines on standard output, written asynchronously within a few milliseconds. If they
 * cannot be written (for example to a full volume), the process continues: lines wait in memory, and each new line that
 * fits, and a timer, try again. Lines that do not fit are dropped and counted, and a warning with their number follows
 * as soon as there is space.
 */
export function serviceLog(level: string): Logger {
  return pino({ level, base: null, timestamp: isoTime }, (destination ??= gathering(openDestination())));
}

/**
 * Logs a line whose fields are JSON already, for the most frequent lines: pino takes several times as long for single
 * fields.
 * @param fields with a comma before each
 */
export function logJson(logger: Logger, level: 'info' | 'error', fields: string): void {
  if (!logger.isLevelEnabled(level)) return;
  destination?.write(`{"level":${pino.levels.values[level]}${isoTime()}${fields}}\n`);
}

let writtenAtMs = 0;
let written = '';

/** The same as pino's timestamp, but formatted once per millisecond. */
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
  const lostLines = counter({
    name: 'identity_log_lines_lost_total',
    help: 'Log lines that found no room while the log could not be written',
  });
  let lost = 0;
  opened.on('drop', (lines: string) => {
    const count = lines.split('\n').length - 1;
    lost += count;
    lostLines.inc(count);
  });
  opened.on('drain', () => {
    if (lost === 0) return;
    const warning = `${lost} log lines were lost while the log could not be written`;
    lost = 0;
    serviceLog('warn').warn(warning);
  });
  let retry: NodeJS.Timeout | null = null;
  // A line that does not fit is dropped without an attempt to write. If even the shortest does not fit, only this timer
  // writes again.
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
  // Without a listener, each error would end the process. Lines that were not written stay in the buffer.
  opened.on('error', onFailure);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Called when the process exits. The original of sonic-boom 4.2 never returns on a full volume.
  const flushSync = opened.flushSync.bind(opened);
  opened.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return opened;
}

/** Also writes the gathered lines when the process exits: pino then calls `flushSync` of the destination. */
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

/** These characters occur only inside JSON strings. */
function escaped(controls: string): string {
  return Array.from(
    { length: controls.length },
    (_, index) => `\\u${controls.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
