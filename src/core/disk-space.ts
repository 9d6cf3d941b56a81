/**
 * Free disk space of the data directory. The file system is asked at most once a second, so that
 * every change can check it.
 */
import { bytesFree } from '#lib/disk.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import type { Hearth } from './hearth.ts'
import type { Operation } from './operation.ts'
import { service } from './service.ts'

/** The refusal of a change on a full disk: 503 with `Retry-After`. */
export const diskFull = (): Refusal =>
  new Refusal(
    'unavailable',
    'the disk of this site is full: nothing can be changed until there is room again, and reading goes on',
    { headers: { 'retry-after': '60' } },
  )

/** The free bytes of a directory, measured at most once a second. */
class FreeBytes {
  #measuredAtMs = Number.NEGATIVE_INFINITY
  #bytes = 0

  constructor(private readonly directory: string) {}

  read(): number {
    const nowMs = performance.now()
    if (nowMs - this.#measuredAtMs >= SECOND) {
      this.#bytes = bytesFree(this.directory)
      this.#measuredAtMs = nowMs
    }
    return this.#bytes
  }
}

const freeBytes = service('free disk space', ({ settings }) => new FreeBytes(settings.data))

/** Whether the disk has at least `limits.disk_reserve` bytes free. */
export function hasDiskSpace(hearth: Pick<Hearth, 'settings' | 'services'>): boolean {
  const { disk_reserve } = hearth.settings.limits
  return disk_reserve === 0 || freeBytes(hearth).read() >= disk_reserve
}

/**
 * Throws 503 when the disk is full and the operation adds data. Signing in, deleting and site
 * administration stay possible, because they are how a full disk is repaired.
 */
export function requireDiskSpace(hearth: Hearth, { access, annotations }: Operation): void {
  const addsData = access.writes && access.account && !annotations.destructive && !access.siteAdmin
  if (!addsData || hasDiskSpace(hearth)) return
  hearth.metrics.recordRefusal('disk_full')
  throw diskFull()
}

/**
 * Whether an error of SQLite or of the system says that the disk is full or read-only. Causes of
 * the error are examined too.
 */
export function isDiskFullError(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (
    typeof code === 'string' &&
    /^(SQLITE_(FULL|READONLY|CANTOPEN|IOERR_WRITE)|ENOSPC|EROFS|EDQUOT)/.test(code)
  )
    return true
  return cause !== undefined && cause !== error && isDiskFullError(cause)
}
