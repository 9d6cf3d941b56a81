/**
 * Whether there is room on the disk to write. Asked at most once a second, so that it can be asked
 * for every change.
 */
import { bytesFree } from '#lib/disk.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import type { Hearth } from './hearth.ts'
import type { Operation } from './operation.ts'

const asked = new WeakMap<Hearth['settings'], { at: number; free: number }>()

export const noRoom = (): Refusal =>
  new Refusal(
    'unavailable',
    'the disk of this site is full: nothing can be changed until there is room again, and reading goes on',
    { headers: { 'retry-after': '60' } },
  )

function freeBytes({ settings }: Pick<Hearth, 'settings'>): number {
  const now = performance.now()
  const known = asked.get(settings)
  if (known && now - known.at < SECOND) return known.free
  const free = bytesFree(settings.data)
  asked.set(settings, { at: now, free })
  return free
}

export const hasRoom = (hearth: Pick<Hearth, 'settings'>): boolean =>
  hearth.settings.limits.disk_reserve === 0 ||
  freeBytes(hearth) >= hearth.settings.limits.disk_reserve

/**
 * Gives 503 to what would make more; signing in, and taking away, must go on when the disk is full.
 */
export function requireRoom(hearth: Hearth, { access, annotations }: Operation): void {
  if (
    !access.writes ||
    !access.account ||
    annotations.destructive ||
    access.siteAdmin ||
    hasRoom(hearth)
  )
    return
  hearth.measures.refuse('disk_full')
  throw noRoom()
}

/**
 * Whether an error says that the disk is full or may only be read: of the database, or of the
 * system.
 */
export function isWithoutRoom(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (
    typeof code === 'string' &&
    /^(SQLITE_(FULL|READONLY|CANTOPEN|IOERR_WRITE)|ENOSPC|EROFS|EDQUOT)/.test(code)
  )
    return true
  return cause !== undefined && cause !== error && isWithoutRoom(cause)
}
