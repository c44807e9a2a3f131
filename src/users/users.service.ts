import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ServiceUnavailable } from '../common/http/http.refusals.js';
import { Randomness } from '../common/randomness.js';
import type { RequestContext } from '../common/request-context.js';
import { type EmailAddress, readEmail } from '../common/validation/email.rules.js';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { PasswordHasher } from '../crypto/password-hasher.js';
import { translateViolation } from '../database/violated-constraint.js';
import { payerOf } from '../rate-limits/request-payer.js';
import { cleanDisplayName } from './display-name.rules.js';
import type { User } from './user.entity.js';
import { UserAlreadyExists, UserNotFound } from './users.errors.js';
import {
  type FirstVerification,
  type PlatformAdmin,
  type CredentialSetter,
  UsersRepository,
} from './users.repository.js';

export interface NewUser {
  readonly email: string;
  readonly displayName: string;
  /** From {@link UsersService.hashPassword}; null for a passwordless account. */
  readonly passwordHash: string | null;
  readonly emailVerified: boolean;
  readonly isPlatformAdmin: boolean;
  /** False: switched off. True by default. */
  readonly isActive?: boolean;
  /** Creator of the account and its password. */
  readonly setBy: CredentialSetter;
}

/** Accounts and their passwords. `enrollment` decides which apps they may enter. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly hasher: PasswordHasher,
    private readonly randomness: Randomness,
  ) {}

  find(id: string, tx?: EntityManager): Promise<User | null> {
    return this.users.find(id, tx);
  }

  /** Those of the users who have verified their address, ordered by id. */
  listVerified(ids: readonly string[], tx?: EntityManager): Promise<User[]> {
    return this.users.listVerified(ids, tx);
  }

  /** @throws UserNotFound */
  async get(id: string, tx?: EntityManager): Promise<User> {
    const user = await this.users.find(id, tx);
    if (!user) throw new UserNotFound();
    return user;
  }

  /** Locks the row until the transaction ends. @throws UserNotFound */
  async getForUpdate(tx: EntityManager, id: string): Promise<User> {
    const user = await this.users.findForUpdate(tx, id);
    if (!user) throw new UserNotFound();
    return user;
  }

  /**
   * Null also for an address that is refused. A row from before such addresses were refused can be found by the plain
   * address, but counts as unverified, because its mail goes to another mailbox.
   */
  async findByEmail(email: string, tx?: EntityManager): Promise<User | null> {
    const address = readEmail(email);
    const user = address && (await this.users.findByEmail(address.canonical, tx));
    if (user && readEmail(user.email) === null) user.emailVerified = false;
    return user;
  }

  /** Those of the canonical addresses that have an account, by canonical address. */
  async findByEmails(emailsCanonical: readonly string[], tx?: EntityManager): Promise<Map<string, User>> {
    const found = await this.users.findByEmails(emailsCanonical, tx);
    return new Map(found.map((user) => [user.emailCanonical, user]));
  }

  /**
   * Creates all of these accounts in one statement. None of them is a platform admin or counts as created by its owner.
   * An address that another user takes in the meantime is left out.
   * @returns ids by canonical address
   */
  async createMissing(
    tx: EntityManager,
    accounts: readonly Omit<NewUser, 'isPlatformAdmin' | 'setBy'>[],
  ): Promise<Map<string, string>> {
    const rows = accounts.map((account) => {
      const { typed, canonical } = addressOf(account);
      return {
        id: this.randomness.uuid(),
        email: typed,
        email_canonical: canonical,
        display_name: nameOf(account),
        email_verified: account.emailVerified,
        password_hash: account.passwordHash,
      };
    });
    const made = new Set(await this.users.insertMissing(tx, rows));
    return new Map(rows.flatMap((row) => (made.has(row.email_canonical) ? [[row.email_canonical, row.id]] : [])));
  }

  /**
   * Must be called before the transaction: hashing takes a fifth of a second and must not hold a database connection.
   * @throws ServiceUnavailable if too many hashes wait for the payer of the request (`payerOf`), or for all payers
   * together
   */
  hashPassword(ctx: RequestContext, password: string): Promise<string> {
    return this.hasher.hash(password, payerOf(ctx));
  }

  /** @throws UserAlreadyExists, decided by the unique constraint; InvalidInput for an address that is refused */
  async create(tx: EntityManager, { setBy, ...fields }: NewUser): Promise<User> {
    const { typed, canonical } = addressOf(fields);
    const address = { email: typed, emailCanonical: canonical };
    const owned = { madeByOwner: setBy === 'owner', passwordByOwner: setBy === 'owner' };
    const row = { id: this.randomness.uuid(), ...fields, ...owned, ...address, displayName: nameOf(fields) } as User;
    return this.users.insert(tx, row).catch((error: unknown) => translateViolation(error, EMAIL_TAKEN));
  }

  /**
   * The active account with this address and password as of the comparison, or null. An unknown address, an account
   * without a password and a wrong password do the same work and cannot be distinguished.
   */
  async findByPassword(email: string, password: string): Promise<User | null> {
    const user = await this.findByEmail(email);
    const stored = user?.isActive ? user.passwordHash : null;
    const verdict = await this.hasher.verify(password, stored);
    if (!user || stored === null || !verdict.matches) return null;
    return verdict.outdated ? this.rehash(user, stored, password) : user;
  }

  /**
   * Stores a stronger hash of the same password. This changes the account too, so the proof is for the row with the new
   * hash. If another sign-in was faster, the password is compared with the stored hash again. If the queue is full, the
   * old hash stays, because the sign-in does not depend on it.
   */
  private async rehash(user: User, stored: string, password: string): Promise<User | null> {
    const passwordHash = await this.hasher.hashIfFree(password).catch((error: unknown) => {
      if (error instanceof ServiceUnavailable) return null;
      throw error;
    });
    if (passwordHash === null) return user;
    const credentialsVersion = await this.users.replaceHash(user, stored, passwordHash);
    if (credentialsVersion !== null) return { ...user, passwordHash, credentialsVersion };
    const current = await this.users.find(user.id);
    return current?.isActive && (await this.isPassword(current, password)) ? current : null;
  }

  /** Whether it is the account's password. Does the same work for an account without one. */
  async isPassword(user: User, password: string): Promise<boolean> {
    return (await this.hasher.verify(password, user.passwordHash)).matches;
  }

  /**
   * Must be called while the proof that allows it is held (`ProofGuard`); otherwise two concurrent requests would both
   * succeed.
   */
  setPasswordHash(tx: EntityManager, id: string, passwordHash: string, setBy: CredentialSetter): Promise<void> {
    return this.users.setPasswordHash(tx, id, passwordHash, setBy);
  }

  /** Ends sessions, refresh token families and access tokens that began before. */
  revokeAllSessionsAndTokens(tx: EntityManager, id: string): Promise<void> {
    return this.users.revokeAllSessionsAndTokens(tx, id);
  }

  /** Until the transaction ends, nothing is issued to this user, and none of their data is changed. */
  lock(tx: EntityManager, id: string): Promise<void> {
    return this.users.lock(tx, id);
  }

  /** Unfinished sign-ins must start again; sessions and tokens remain valid. */
  voidProofs(tx: EntityManager, id: string): Promise<void> {
    return this.users.voidProofs(tx, id);
  }

  /** As {@link voidProofs}, and voids the user's scheduled changes. */
  voidPlans(tx: EntityManager, id: string): Promise<void> {
    return this.users.voidPlans(tx, id);
  }

  /**
   * Marks the address as verified, and removes a password that someone else has set and therefore knows.
   * @returns null if it was already verified, or is no longer the account's
   */
  verifyEmail(tx: EntityManager, id: string, emailCanonical: string): Promise<FirstVerification | null> {
    return this.users.verifyEmail(tx, id, emailCanonical);
  }

  /**
   * Sets another address, which its owner has proven. Unfinished sign-ins must start again.
   * @throws UserAlreadyExists, decided by the unique constraint; InvalidInput for an address that is refused
   */
  async changeEmail(tx: EntityManager, id: string, email: string): Promise<void> {
    const { typed, canonical } = addressOf({ email });
    await this.users
      .changeEmail(tx, id, { email: typed, emailCanonical: canonical })
      .catch((error: unknown) => translateViolation(error, EMAIL_TAKEN));
  }

  updateProfile(
    tx: EntityManager,
    user: User,
    { displayName, locale }: Pick<User, 'displayName' | 'locale'>,
  ): Promise<void> {
    return this.users.updateProfile(tx, user.id, { displayName: nameOf({ email: user.email, displayName }), locale });
  }

  clearPassword(tx: EntityManager, id: string): Promise<void> {
    return this.users.clearPassword(tx, id);
  }

  delete(tx: EntityManager, id: string): Promise<void> {
    return this.users.delete(tx, id);
  }

  touchLogin(tx: EntityManager, id: string): Promise<void> {
    return this.users.touchLogin(tx, id);
  }

  /**
   * Must be called first in a transaction after which there may be fewer of them, so that such transactions run one
   * after the other.
   */
  lockPlatformAdmins(tx: EntityManager): Promise<PlatformAdmin[]> {
    return this.users.lockPlatformAdmins(tx);
  }

  listPlatformAdmins(): Promise<PlatformAdmin[]> {
    return this.users.listPlatformAdmins();
  }

  countPlatformAdmins(): Promise<number> {
    return this.users.countPlatformAdmins();
  }

  setPlatformAdmin(tx: EntityManager, id: string, isPlatformAdmin: boolean): Promise<void> {
    return this.users.setPlatformAdmin(tx, id, isPlatformAdmin);
  }

  platformAdminExists(tx?: EntityManager): Promise<boolean> {
    return this.users.platformAdminExists(tx);
  }
}

/** The last validation before the database, for every caller. */
function addressOf({ email }: Pick<NewUser, 'email'>): EmailAddress {
  const address = readEmail(email);
  if (!address) throw InvalidInput.field('email', 'value is not a valid email address');
  return address;
}

/** An empty name is replaced by the part of the address before the @. */
function nameOf({ email, displayName }: Pick<NewUser, 'email' | 'displayName'>): string {
  return cleanDisplayName(displayName) ?? email.trim().split('@')[0]!;
}

const EMAIL_TAKEN = { uq_users_email: () => new UserAlreadyExists() };
