import { ServiceUnavailable } from '../common/http/http.refusals.js';
import { Places, type Ways } from '../common/concurrency/places.js';
import { TooManyAtOnce } from './rate-limited.js';

interface Words {
  /** 429: the caller already has a place. */
  readonly busy: string;
  /** 503: all places are taken. */
  readonly crowded: string;
  readonly retrySeconds: number;
}

/** Places of which each caller can have one at a time. */
export class CallerPlaces {
  private readonly callers = new Set<string>();
  private readonly places: Places;

  constructor(
    private readonly words: Words,
    most = Number.POSITIVE_INFINITY,
  ) {
    this.places = new Places(most);
  }

  /**
   * @returns a function that gives the place back; further calls do nothing
   * @throws TooManyAtOnce, ServiceUnavailable
   */
  take(caller: string, ways: Ways): () => void {
    const { busy, crowded, retrySeconds } = this.words;
    if (this.callers.has(caller)) throw new TooManyAtOnce(busy, retrySeconds);
    const giveBack = this.places.takeAny(ways);
    if (!giveBack) throw new ServiceUnavailable(crowded, retrySeconds);
    this.callers.add(caller);
    let isGiven = false;
    return () => {
      if (!isGiven) this.callers.delete(caller);
      isGiven = true;
      giveBack();
    };
  }
}
