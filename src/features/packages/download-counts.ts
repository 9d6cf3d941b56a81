/**
 * Counts downloads in memory, by version and package, and adds them to the rows in one transaction
 * every 10 seconds and when the forge closes. A download writes nothing on its way.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import { SECOND, timestamp } from '#lib/time.ts'
import { addDownloads, addDownloadsOfDay } from './store-downloads.ts'

const FLUSH_INTERVAL_MS = 10 * SECOND

class DownloadCounts {
  #counts = new Map<string, { package_id: string; count: number }>()
  #packages = new Map<string, number>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(private readonly hearth: Hearth) {}

  add(package_id: string, version_id: string): void {
    const entry = this.#counts.get(version_id)
    if (entry) entry.count++
    else this.#counts.set(version_id, { package_id, count: 1 })
    this.#packages.set(package_id, (this.#packages.get(package_id) ?? 0) + 1)
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS)
    this.#timer.unref()
  }

  /** Downloads that are not in the rows yet, of a package or a version. */
  addedTo(id: string): number {
    return this.#packages.get(id) ?? this.#counts.get(id)?.count ?? 0
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const counts = this.#counts
    const packages = this.#packages
    if (counts.size === 0) return
    this.#counts = new Map()
    this.#packages = new Map()
    const { hearth } = this
    const day = timestamp(hearth.clock.now()).slice(0, 10)
    try {
      await writeAs(hearth, null, (tx) => {
        for (const [version_id, { count }] of counts)
          addDownloads(tx, 'package_versions', version_id, count)
        for (const [package_id, count] of packages) {
          addDownloads(tx, 'packages', package_id, count)
          addDownloadsOfDay(tx, package_id, day, count)
        }
      })
    } catch (error) {
      hearth.log.warn('downloads were not counted', { error })
    }
  }
}

export const downloadCounts = service('download-counts', (hearth) => {
  const counts = new DownloadCounts(hearth)
  hearth.onClose(() => counts.flush())
  return counts
})

export const addedDownloads = (hearth: Hearth, id: string): number =>
  downloadCounts(hearth).addedTo(id)
