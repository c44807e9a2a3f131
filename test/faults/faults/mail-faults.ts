import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../fault.js';
import { seconds } from '../report.js';
import { underLoad } from '../under-load.js';

/** Retries come after growing pauses: the last of them within this time. */
const MAILS_WITHIN_MS = 240_000;
const MAX_WAIT_MS = 5_000;

/** F6: the mail server hangs, defers and refuses connections. Answers stay as they are; every mail arrives later. */
export function mailServerFails(milliseconds: number): Promise<Outcome> {
  return underLoad({ mailsWithinMs: MAILS_WITHIN_MS }, async ({ smtp, load }) => {
    smtp.be('hang');
    await sleep(milliseconds);
    smtp.be({ code: 451, text: 'Try again later' });
    await sleep(milliseconds);
    await smtp.stop();
    await sleep(milliseconds);
    await smtp.listen();
    smtp.be('accept');
    const slowest = load.takeSlowest();
    const broken = load.failed > 0 ? [`${load.failed} requests failed`] : [];
    if (slowest.ms > MAX_WAIT_MS) broken.push(`a request was slow: ${slowest.request}`);
    return { figures: `hung, deferred and refused, slowest answer ${seconds([slowest.ms])}`, broken };
  });
}
