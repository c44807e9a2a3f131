import { ServiceUnavailable } from '../common/http/http.refusals.js';
import { type AlternativeLimits, Semaphore } from '../common/concurrency/semaphore.js';
import { TooManyAtOnce } from './rate-limited.js';

interface Words {
  /** 429: the caller already holds a permit. */
  readonly busy: string;
  /** 503: no permit is free. */
  readonly crowded: string;
  readonly retrySeconds: number;
}

/** A semaphore of which each caller can hold one permit at a time. */
export class OnePerCaller {
  private readonly callers = new Set<string>();
  private readonly semaphore: Semaphore;

  constructor(
    private readonly words: Words,
    max = Number.POSITIVE_INFINITY,
  ) {
    this.semaphore = new Semaphore(max);
  }

  /**
   * @returns a function that releases the permit; further calls do nothing
   * @throws TooManyAtOnce, ServiceUnavailable
   */
  acquire(caller: string, limits: AlternativeLimits): () => void {
    const { busy, crowded, retrySeconds } = this.words;
    if (this.callers.has(caller)) throw new TooManyAtOnce(busy, retrySeconds);
    const release = this.semaphore.tryAcquireAny(limits);
    if (!release) throw new ServiceUnavailable(crowded, retrySeconds);
    this.callers.add(caller);
    let isReleased = false;
    return () => {
      if (!isReleased) this.callers.delete(caller);
      isReleased = true;
      release();
    };
  }
}
