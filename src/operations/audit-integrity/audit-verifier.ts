import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import { AuditChainsRepository, type ChainHead } from '../../audit/chain/audit-chains.repository.js';
import { GENESIS, judgeLink, type Link } from '../../audit/chain/seal.rules.js';
import { AuditCheckpointsRepository, type StoredCheckpoint } from './audit-checkpoints.repository.js';
import { CheckpointSigner } from './checkpoint-signer.js';

/** Number of entries in memory at a time. */
const BATCH = 500;

/** The first error in a chain. */
export interface ChainFault {
  /** Number of the entry, or of the first missing one. */
  readonly seq: number;
  /** Id of the entry, if there is one. */
  readonly entryId: string | null;
  /** Description as a sentence. */
  readonly what: string;
}

export interface ChainReport {
  readonly chain: string;
  /** Number of entries that are in order, up to the first fault. */
  readonly entries: number;
  readonly checkpoints: number;
  /** Entries after the last checkpoint, which only the chain itself protects. */
  readonly unsigned: number;
  readonly fault: ChainFault | null;
}

interface Walk {
  next: Link;
  /** The last entry that was read. */
  last: AuditEntry | null;
  checkpoints: number;
  signed: number;
}

/** Runs the work on one batch when it is its turn, or throws to end the verification. */
export type RunInTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Reads chains from their first entry and checks numbers, hashes, links, head and checkpoints. */
@Injectable()
export class AuditVerifier {
  constructor(
    private readonly chains: AuditChainsRepository,
    private readonly checkpoints: AuditCheckpointsRepository,
    private readonly signer: CheckpointSigner,
  ) {}

  /** Chains with entries, a head or checkpoints. */
  async listChains(): Promise<string[]> {
    return [...new Set([...(await this.chains.listChains()), ...(await this.checkpoints.listChains())])].sort();
  }

  countUnsealed(chain: string | null): Promise<number> {
    return this.chains.countUnsealed(chain);
  }

  async verify(chain: string, inTurn: RunInTurn = (work) => work()): Promise<ChainReport> {
    // Read before the entries, because sealing continues: everything that the checkpoints and the head contain must be
    // found.
    const signedTo = await this.checkpoints.lastSeq(chain);
    const head = await this.chains.findHead(chain);
    const walk: Walk = { next: { seq: 1, prevHash: GENESIS }, last: null, checkpoints: 0, signed: 0 };
    const report = (fault: ChainFault | null): ChainReport => {
      const entries = walk.next.seq - 1;
      return { chain, entries, checkpoints: walk.checkpoints, unsigned: entries - walk.signed, fault };
    };
    for (;;) {
      const fault = await inTurn(() => this.judgeBatch(chain, walk, head));
      if (fault === 'end') break;
      if (fault) return report(fault);
    }
    return report(await this.judgeEnd(chain, walk.next.seq - 1, Math.max(head?.seq ?? 0, signedTo), signedTo));
  }

  /** Goes on with the walk. @returns the first fault; null if there is none; `end` if no entry is left */
  private async judgeBatch(chain: string, walk: Walk, head: ChainHead | null): Promise<ChainFault | 'end' | null> {
    const { last } = walk;
    const entries = await this.chains.walk(chain, last && { seq: last.seq!, id: last.id }, BATCH);
    if (entries.length === 0) return 'end';
    const signed = await this.listCheckpoints(chain, last, entries.at(-1)!);
    for (const entry of entries) {
      const what = judgeEntry(entry, walk.next, head) ?? (await this.judgeCheckpoint(entry, signed));
      if (what) return { seq: walk.next.seq, entryId: entry.id, what };
      if (signed.delete(walk.next.seq)) {
        walk.checkpoints++;
        walk.signed = walk.next.seq;
      }
      walk.next = { seq: walk.next.seq + 1, prevHash: entry.hash! };
    }
    walk.last = entries.at(-1)!;
    const [stray] = signed.keys();
    return stray === undefined ? null : { seq: stray, entryId: null, what: 'there is a checkpoint without an entry' };
  }

  private async listCheckpoints(chain: string, last: AuditEntry | null, end: AuditEntry) {
    const found = await this.checkpoints.listUpTo(chain, last && Number(last.seq), Number(end.seq));
    return new Map(found.map((checkpoint) => [checkpoint.seq, checkpoint]));
  }

  private async judgeCheckpoint(
    entry: AuditEntry,
    signed: ReadonlyMap<number, StoredCheckpoint>,
  ): Promise<string | null> {
    const stored = signed.get(Number(entry.seq));
    if (!stored) return null;
    const said = await this.signer.read(stored.jws);
    if (!said) return 'its checkpoint was not signed by a key of this service';
    if (said.chain !== stored.chain || said.seq !== stored.seq) return 'its checkpoint was signed for another entry';
    if (said.hash.equals(entry.hash!) && stored.hash.equals(entry.hash!)) return null;
    return `its hash is not the one signed at ${said.time}: entries up to here were rewritten`;
  }

  private async judgeEnd(chain: string, end: number, promised: number, signedTo: number): Promise<ChainFault | null> {
    const missing = (what: string): ChainFault => ({ seq: end + 1, entryId: null, what });
    if (promised > end) {
      const by = signedTo === promised ? 'a checkpoint' : 'the head of the chain';
      return missing(`entries are missing: ${by} speaks of ${promised}`);
    }
    const head = await this.chains.findHead(chain);
    if (end > 0 && !head) return missing('the head of the chain is missing');
    if (end > (head?.seq ?? 0)) return { ...missing('the chain has entries behind its head'), seq: head!.seq + 1 };
    return null;
  }
}

function judgeEntry(entry: AuditEntry, expected: Link, head: ChainHead | null): string | null {
  switch (judgeLink(entry, expected)) {
    case 'sequence':
      return `it has the number ${entry.seq}: entries are missing or were put in`;
    case 'link':
      return 'it is not linked to the entry before it';
    case 'hash':
      return 'its content does not fit its hash';
    case 'ok':
      return head?.seq === expected.seq && !head.hash.equals(entry.hash!)
        ? 'its hash is not the one at the head of the chain'
        : null;
  }
}
