/** The interface of a backup store: named objects, each written completely or not at all. */

/** An error whose one-line message tells an operator what to do. */
export class BackupError extends Error {
  override name = 'BackupError'
}

/** The store has no object of this name. */
export class MissingObjectError extends BackupError {}

export type StoredObject = {
  readonly name: string
  readonly size: number
  readonly modified_ms: number
}

/** Names are relative paths with `/`. All functions throw BackupError when the store fails. */
export interface BackupStore {
  /** The path or URL, for messages and records. */
  readonly address: string
  /** All objects whose names begin with `prefix`, in any order. */
  list(prefix: string): AsyncIterable<StoredObject>
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Throws MissingObjectError when there is no such object. */
  get(name: string): Promise<Uint8Array>
  remove(name: string): Promise<void>
  /** Resolves when all objects that were put survive a power cut. */
  flush(): Promise<void>
  /** Removes partial files of writers that ended. No other writer may be active. */
  sweep(): Promise<void>
}

/** The same error as a BackupError that names the store. */
export const toBackupError = (address: string, error: unknown): BackupError => {
  if (error instanceof BackupError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const causes: Record<string, string> = {
    ENOSPC: 'there is no space left',
    EROFS: 'it can only be read',
    EACCES: 'permission is denied',
    EPERM: 'permission is denied',
    EDQUOT: 'the quota is used up',
  }
  return new BackupError(`${address}: ${(code && causes[code]) ?? message}`)
}
