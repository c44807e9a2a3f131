import { Injectable } from '@nestjs/common';
import { type Actor, holderOf } from '../actor.js';
import { Places } from '../places.js';
import { Refusal } from '../refusal.js';
import { sharesOf } from '../shares.js';
import { ServiceUnavailable } from './http.refusals.js';

/** Bodies of up to 32 MB that this process works on at a time: ten times that in memory, each. */
const WORKED_ON_AT_ONCE = 2;
const WORKED_ON_OF_TENANT = 1;
/** Bodies that are on their way, or have come and wait for their place. A slow one has little in memory yet. */
const SENT_AT_ONCE = 8;
/** An app with its server has one of them, and all apps of a tenant two. */
const SENT_OF_TENANT = 3;

/** One that has come is not refused at once: the tenant's other one ends soon. */
const PATIENCE_MS = 10_000;

/** The large bodies that the process has in hand, at whatever route: Nest makes an interceptor for each module that uses it. */
@Injectable()
export class LargeBodyPlaces {
  private readonly sent = new Places(SENT_AT_ONCE);
  private readonly workedOn = new Places(WORKED_ON_AT_ONCE);

  /** For one that is being sent. @returns gives the place back @throws ServiceUnavailable */
  takeToSend(actor: Actor): () => void {
    const leave = this.sent.take(sharesOf(actor, holderOf(actor), SENT_OF_TENANT));
    if (!leave) throw refusal();
    return leave;
  }

  /** For one that has come. @param closing ends when the client has gone @throws ServiceUnavailable, ClientGone */
  async waitToWork(actor: Actor, closing: AbortSignal): Promise<() => void> {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      return await this.workedOn.wait(sharesOf(actor, holderOf(actor), WORKED_ON_OF_TENANT), signal);
    } catch (error) {
      throw error instanceof Refusal ? error : refusal();
    }
  }
}

function refusal(): ServiceUnavailable {
  return new ServiceUnavailable('Too many large requests at once', 5);
}
