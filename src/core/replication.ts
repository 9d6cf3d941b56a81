/**
 * The interface between the forge and its standby (`src/standby`): the `Writer` reports commits to
 * a `CommitObserver`, features note changed files, and `readStatus` gives the state.
 */
import { service } from './service.ts'

/** Watches the commits of the `Writer`, and decides whether there may be any. */
export interface CommitObserver {
  /** Throws a Refusal while this machine may not change anything. */
  requireWritable(): void
  /** Called in each transaction before its first change, while nobody else can commit. */
  opened(): void
  /** Called right after each commit. It must not throw. */
  committed(): void
  /** Resolves when all commits so far may be acknowledged. Rejects with a Refusal. */
  acknowledged(): Promise<void>
}

/**
 * - `alone`: no standby is configured.
 * - `primary`: this machine serves, and a standby may follow it.
 * - `fenced`: another machine has taken over. This one changes nothing any more.
 */
export type ReplicationRole = 'alone' | 'primary' | 'fenced'

export type ReplicationStatus = {
  readonly role: ReplicationRole
  /** The number of take-overs so far, and one. The machine with the higher term is right. */
  readonly term: number
  /** The address of the standby that follows; null while none does. */
  readonly standby: string | null
  /** Commits that the standby has not confirmed, their bytes, and the age of the oldest. */
  readonly lag_commits: number
  readonly lag_bytes: number
  readonly lag_ms: number
  /** Whether a standby that follows has everything up to `lag_ms` ago, files included. */
  readonly is_complete: boolean
  /** How long changes are still allowed without the standby; null without a lease. */
  readonly lease_left_ms: number | null
  /** Why nothing can be changed; null when all is well. */
  readonly refusal: string | null
}

const ALONE: ReplicationStatus = {
  role: 'alone',
  term: 1,
  standby: null,
  lag_commits: 0,
  lag_bytes: 0,
  lag_ms: 0,
  is_complete: false,
  lease_left_ms: null,
  refusal: null,
}

/** A forge's side of its replication. `serve` connects the primary to it. */
export class Replication {
  readStatus: () => ReplicationStatus = () => ALONE
  /** Receives the paths of new files and of folders with new files, relative to the data. */
  onChange: ((path: string) => void) | null = null

  /**
   * Notes a file or folder whose files must be with the standby before the commits that name them.
   * What is not noted arrives with the next comparison of all files.
   */
  readonly note = (path: string): void => this.onChange?.(path)
}

export const replication = service('replication', () => new Replication())
