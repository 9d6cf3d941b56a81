/** Where backups are kept: a flat set of named values, each written as a whole or not at all. */

/** Something about a backup that a person can read in one line and act upon. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/** A value is not there. */
export class Missing extends BackupError {}

export type Stored = { readonly name: string; readonly size: number; readonly modified_ms: number }

/** Names are relative paths with `/`. Everything gives BackupError for what the place refuses. */
export interface Place {
  /** For people and for the records. */
  readonly address: string
  /** Everything whose name begins so, in any order. */
  list(prefix: string): AsyncIterable<Stored>
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Gives Missing when there is no such value. */
  get(name: string): Promise<Uint8Array>
  remove(name: string): Promise<void>
  /** Resolves when everything that was put survives a power cut. */
  settle(): Promise<void>
  /**
   * Takes away what writers that ended left behind. Called by one who knows that no other writes.
   */
  sweep(): Promise<void>
}

export const wrap = (address: string, error: unknown): BackupError => {
  if (error instanceof BackupError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const words: Record<string, string> = {
    ENOSPC: 'there is no space left',
    EROFS: 'it can only be read',
    EACCES: 'permission is denied',
    EPERM: 'permission is denied',
    EDQUOT: 'the quota is used up',
  }
  return new BackupError(`${address}: ${(code && words[code]) ?? message}`)
}
