/**
 * What this machine is to its pair, kept in `standby/role.json` of the data directory. The term
 * counts take-overs. It is raised and on disk before the machine that takes over changes anything,
 * and a machine that has seen a higher term than its own never changes anything again.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { syncDirectorySync } from '#lib/disk.ts'

export type Role = {
  /** `standby` keeps a copy, `fenced` was taken over from. */
  readonly role: 'primary' | 'standby' | 'fenced'
  readonly term: number
  /** The other machine (`HOST:PORT`), where it is known. */
  readonly peer: string | null
  /** What the primary asks of its standby. */
  readonly acknowledge: 'local' | 'standby'
  /** How long the primary may change things after its last contact; null without a lease. */
  readonly lease_ms: number | null
  /** Of a primary: whether a standby has had everything once. Of a standby: whether it has. */
  readonly complete: boolean
  /** Of a standby: the start of the primary that its position is of, and the position. */
  readonly run: string | null
  readonly commit: number
  /** When that commit was made, by the clock of the primary; 0 when it is not known. */
  readonly committed_at_ms: number
}

const FIRST: Role = {
  role: 'primary',
  term: 1,
  peer: null,
  acknowledge: 'local',
  lease_ms: null,
  complete: false,
  run: null,
  commit: 0,
  committed_at_ms: 0,
}

/** Files of the standby itself. They are in no backup and are not sent to the other machine. */
export const standbyDirectory = (data: string): string => join(data, 'standby')

/** The role of a data directory. One without the file is an ordinary forge: a primary of term 1. */
export function readRole(data: string): Role {
  const path = join(standbyDirectory(data), 'role.json')
  if (!existsSync(path)) return FIRST
  const role = JSON.parse(readFileSync(path, 'utf8')) as Partial<Role>
  if (
    typeof role.term !== 'number' ||
    !['primary', 'standby', 'fenced'].includes(String(role.role))
  )
    throw new Error(`${path} is damaged: restore a backup into another directory`)
  return { ...FIRST, ...role }
}

/** Replaces the role. It is on disk when this returns. */
export function writeRole(data: string, role: Role): void {
  const directory = standbyDirectory(data)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'role.json')
  const file = openSync(`${path}.new`, 'w', 0o600)
  try {
    writeSync(file, `${JSON.stringify(role)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.new`, path)
  syncDirectorySync(directory)
}
