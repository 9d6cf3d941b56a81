/** Checks the machine: file permissions, clock and disk space. */
import { bytesFree } from '#lib/disk.ts'
import { installationKey } from '#lib/installation-key.ts'
import { MINUTE, timestamp } from '#lib/time.ts'
import { timeOf } from '#lib/typeid.ts'
import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findNewestEvent } from '../store-doctor.ts'
import { fault, note, type Check, type Finding } from './finding.ts'

/** Paths that only the owner may read. A folder's permissions cover everything below it. */
const PRIVATE_PATHS: readonly [string, number][] = [
  ['', 0o700],
  ['secrets', 0o700],
  ['secrets/installation.key', 0o600],
  ['hearth.toml', 0o600],
  ['backups', 0o700],
]

export const permissions: Check = {
  name: 'permissions',
  appliesToCopies: false,
  run({ hearth }) {
    const { data } = hearth.settings
    const findings: Finding[] = []
    for (const [path, mode] of process.platform === 'win32' ? [] : PRIVATE_PATHS) {
      const whole = join(data, path)
      const found = statSync(whole, { throwIfNoEntry: false })
      if (!found || (found.mode & 0o077) === 0) continue
      findings.push(
        fault(
          `${path === '' ? data : path} is open to others (${(found.mode & 0o777).toString(8)})`,
          'Other accounts of this machine can read private repositories or secrets.',
          {
            would: `set it to ${mode.toString(8)}`,
            run: () => {
              chmodSync(whole, mode)
              return `set ${whole} to ${mode.toString(8)}`
            },
          },
        ),
      )
    }
    if (existsSync(join(data, 'secrets', 'installation.key'))) {
      try {
        installationKey(data)
      } catch (error) {
        findings.push(
          fault(
            error instanceof Error ? error.message : String(error),
            'Second factors, secrets of webhooks and links cannot be read. Put the key back from where you keep it.',
          ),
        )
      }
    }
    return findings
  },
}

const MAX_CLOCK_SKEW_MS = 5 * MINUTE

export const clock: Check = {
  name: 'clock',
  appliesToCopies: false,
  run({ hearth }) {
    const newest = findNewestEvent(hearth.db)
    if (newest === null) return []
    const late = hearth.clock.now() + MAX_CLOCK_SKEW_MS
    if (Date.parse(newest.time) <= late) {
      const counted = timeOf(newest.id)
      return counted === null || counted <= late
        ? []
        : [
            note(
              `the clock of this machine was once ahead, at least until ${timestamp(counted).slice(0, 10)}`,
              'What was made then says a time that is still to come. Ids count on from there, so that the order of everything is right. There is nothing to do.',
            ),
          ]
    }
    return [
      fault(
        `the newest event is of ${newest.time}, which is still to come`,
        'The clock of this machine was ahead, or is behind now. Until it has caught up, what is new says an earlier time than what is old (its order is right), and tokens end later than they should. Set the clock, and keep it with NTP.',
      ),
    ]
  },
}

const MIN_FREE_BYTES = 512 * 1024 ** 2

export const disk: Check = {
  name: 'disk',
  appliesToCopies: false,
  run({ hearth }) {
    const { data } = hearth.settings
    const free = bytesFree(data)
    const database = statSync(join(data, 'hearth.db'), { throwIfNoEntry: false })?.size ?? 0
    const least = Math.max(MIN_FREE_BYTES, 2 * database)
    const mb = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MB`
    return free >= least
      ? []
      : [
          fault(
            `${mb(free)} are free where ${data} is`,
            `An upgrade or a backup needs room for a copy of the database, and pushes need room too: keep ${mb(least)} free.`,
          ),
        ]
  },
}
