import { layout } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import {
  checkBackup,
  contentOf,
  isBackupId,
  listBackups,
  locateBackup,
  manifestName,
  openPlace,
  prune,
  readIdentities,
  requireBackup,
  restoreBackup,
  type Progress,
} from '#backup'
import {
  insertRequestedBackup,
  pruneBackups,
  findBackup,
  readBackupIdentities,
  lockBackups,
  makeBackup,
  backupAddress,
  removeBackup,
  verifyByRestore,
} from '#features/backups/index.ts'
import { writeAs } from '#core/write.ts'
import { dataIdentity } from '#lib/data-identity.ts'
import { bytesFree } from '#lib/disk.ts'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CommandError, DATA_FLAGS, text, UsageError, type Command } from './command.ts'
import { counted, progressLine, say, stoppable } from './terminal.ts'
import { withHearth } from './open.ts'

type Flags = Record<string, string | true>

const mb = (bytes: number): string =>
  bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`

const progressText = (progress: Progress): string => {
  const { phase, files_done, files_total, bytes_done, bytes_total } = progress
  const files = files_total === 0 ? '' : `${files_done} of ${files_total} files`
  return `${phase} ${files}${bytes_total === 0 ? '' : `, ${mb(bytes_done)} of ${mb(bytes_total)}`}`
}

const configOf = (flags: Flags) =>
  loadConfig({ data: text(flags.data), config: text(flags.config) })

function identities(flags: Flags, fallback: () => string[]): string[] {
  const path = text(flags.identity)
  if (path === undefined) return fallback()
  if (!existsSync(path)) throw new CommandError(`there is no file ${path}`)
  return readIdentities(readFileSync(path, 'utf8'), path)
}

/** The store and id of the backup that a path names. */
function locate(flags: Flags, path: string | undefined) {
  const config = configOf(flags)
  const settings = config.settings(config.listen)
  const { address, id } = locateBackup(path ?? backupAddress(settings))
  return { settings, place: openPlace(address, settings.backups.s3), address, id }
}

async function create(flags: Flags): Promise<void> {
  const { tell, end } = progressLine(progressText)
  const signal = stoppable()
  const to = text(flags.to)
  await withHearth(flags, async (hearth) => {
    const place = to === undefined || to.includes('://') ? to : resolve(to)
    const id = await writeAs(hearth, null, (tx) =>
      insertRequestedBackup(tx, {
        name: text(flags.name)?.trim() || null,
        scheduled: false,
        created_by: null,
        to: place,
      }),
    )
    const made = await makeBackup(hearth, id, signal, tell).finally(end)
    const row = findBackup(hearth.db, id)
    if (!made || !row) throw new CommandError(row?.error ?? 'the backup was not made')
    say(`made ${id} in ${row.place}`)
    say(
      `${counted(row.repositories ?? 0, 'repository', 'repositories')}, ${counted(row.files ?? 0, 'file')}, ${mb(row.bytes ?? 0)}, of which ${mb(row.added_bytes ?? 0)} were new`,
    )
    for (const note of JSON.parse(row.notes) as string[]) say(`note: ${note}`)
    if (row.encrypted === 0) {
      say(
        'not encrypted, so the installation key and hearth.toml are not in it: keep secrets/installation.key elsewhere, or set backups.recipients',
      )
    }
  })
}

async function list(flags: Flags, path: string | undefined): Promise<void> {
  const { place } = locate(flags, path)
  const all = await listBackups(place)
  if (all.length === 0) return say(`${place.address} holds no backup`)
  for (const { id, manifest, fault } of all) {
    if (manifest === null) say(`${id}  damaged: ${fault}`)
    else
      say(
        `${id}  ${manifest.made_at}  ${mb(manifest.totals.bytes)}  ${counted(manifest.totals.repositories, 'repository', 'repositories')}${manifest.recipients.length > 0 ? '  encrypted' : ''}${manifest.name === null ? '' : `  "${manifest.name}"`}`,
      )
  }
}

async function verify(flags: Flags, path: string | undefined): Promise<number> {
  const { settings, place, address, id } = locate(flags, path)
  const { tell, end } = progressLine(progressText)
  const signal = stoppable()
  const manifest = await requireBackup(place, id)
  const keys = identities(flags, () => readBackupIdentities(settings))
  // Only a forge on this machine can open a restored copy. Without one the checksums are verified.
  const verdict = existsSync(layout(settings.data).database)
    ? await withHearth(flags, (hearth) =>
        verifyByRestore(hearth, { from: address, id: manifest.id, identities: keys, tell, signal }),
      ).finally(end)
    : {
        by: 'sums' as const,
        findings: await checkBackup(place, manifest, keys, tell, signal).finally(end),
      }
  for (const finding of verdict.findings) say(finding)
  if (verdict.findings.length > 0)
    throw new CommandError(
      `${manifest.id} is not sound: ${counted(verdict.findings.length, 'fault')}`,
    )
  say(
    verdict.by === 'restoring'
      ? `${manifest.id} is sound: a copy was restored, opened and examined`
      : `${manifest.id} is sound as far as its sums tell; ${manifest.content === null && keys.length === 0 ? 'to have it restored and examined, name the key with --identity FILE' : 'run this where a forge is to have it opened and examined'}`,
  )
  return 0
}

async function restore(flags: Flags, path: string | undefined): Promise<void> {
  if (path === undefined) throw new UsageError('usage: hearth backup restore PATH --data EMPTY_DIR')
  const target = text(flags.data)
  const config = configOf(target === undefined ? flags : { ...flags, data: target })
  const settings = config.settings(config.listen)
  const { address, id } = locateBackup(path)
  const place = openPlace(address, settings.backups.s3)
  const manifest = await requireBackup(place, id)
  const keys = identities(flags, () => [])
  const { tell, end } = progressLine(progressText)
  const signal = stoppable()
  if (flags.check) {
    const faults = await checkBackup(place, manifest, keys, tell, signal).finally(end)
    for (const fault of faults) say(fault)
    if (faults.length > 0)
      throw new CommandError(`${manifest.id} is not sound: ${counted(faults.length, 'fault')}`)
    return say(
      `${manifest.id}, made at ${manifest.made_at}, can be restored: every file is as it was`,
    )
  }
  if (target === undefined) throw new UsageError('hearth backup restore needs --data EMPTY_DIR')
  const free = bytesFree(existsSync(target) ? target : dirname(resolve(target)))
  if (free < manifest.totals.bytes)
    throw new CommandError(
      `${target} has not the space: ${mb(manifest.totals.bytes)} are needed, ${mb(free)} are free`,
    )
  const key = text(flags['installation-key'])
  const extra =
    key === undefined
      ? []
      : [{ path: 'secrets/installation.key', bytes: readFileSync(key), mode: 0o600 }]
  const { files, paths } = await restoreBackup(
    place,
    manifest,
    { target, identities: keys, extra },
    tell,
    signal,
  ).finally(end)
  say(
    `restored ${manifest.id}, made at ${manifest.made_at}, to ${target}: ${counted(files, 'file')}, ${mb(manifest.totals.bytes)}`,
  )
  for (const note of manifest.notes) say(`note: ${note}`)
  if (!paths.has('secrets/installation.key') && key === undefined) {
    say(
      'the installation key was not in it: a new one is made, so second factors, secrets of webhooks and approved applications have to be set up again.',
    )
    say('If you have the old secrets/installation.key, put it there before the first start.')
  }
  say(`hearth serve --data ${target} starts it`)
}

async function clear(flags: Flags): Promise<void> {
  const to = text(flags.to)
  await withHearth(flags, async (hearth) => {
    const { keep, s3 } = hearth.settings.backups
    const release = lockBackups(hearth.settings.data)
    try {
      const place = openPlace(to ?? backupAddress(hearth.settings), s3)
      const { removed, others, parts, bytes } = await prune(place, keep, {
        origin: dataIdentity(hearth.settings.data),
        now_ms: hearth.clock.now(),
      })
      await writeAs(hearth, null, (tx) => {
        for (const id of removed) removeBackup(tx, id)
      })
      for (const id of removed) say(`took ${id} away`)
      if (others > 0)
        say(
          `${counted(others, 'backup')} of another data directory stayed: hearth backup remove ID takes one away`,
        )
      say(`${counted(removed.length, 'backup')} and ${counted(parts, 'part')} went, ${mb(bytes)}`)
    } finally {
      release()
    }
  })
}

async function remove(flags: Flags, id: string | undefined): Promise<void> {
  if (id === undefined || !isBackupId(id)) throw new UsageError('usage: hearth backup remove ID')
  await withHearth(flags, async (hearth) => {
    const place = openPlace(
      text(flags.to) ?? findBackup(hearth.db, id)?.place ?? backupAddress(hearth.settings),
      hearth.settings.backups.s3,
    )
    const release = lockBackups(hearth.settings.data)
    try {
      await requireBackup(place, id)
      await place.remove(manifestName(id))
      await place.flush()
      await writeAs(hearth, null, (tx) => removeBackup(tx, id))
    } finally {
      release()
    }
    await pruneBackups(hearth)
    say(`took ${id} away; its parts that no other backup needs go a day after they were written`)
  })
}

async function files(flags: Flags, path: string | undefined): Promise<void> {
  const { place, id } = locate(flags, path)
  const content = await contentOf(
    await requireBackup(place, id),
    identities(flags, () => []),
  )
  await Bun.write(
    Bun.stdout,
    content.files.map((file) => `${file.sha256}  ${file.path}\n`).join(''),
  )
}

const ACTIONS: Readonly<
  Record<string, (flags: Flags, path: string | undefined) => Promise<number | void>>
> = { create, list, files, verify, restore, prune: clear, remove }

export const backup: Command = {
  name: 'backup',
  summary: `Backups of the whole forge, made while it runs:

  create          makes one, in --to or where the settings say
  list [PATH]     names those in a place
  files [PATH]    prints what is in one, as sha256sum reads it
  verify [PATH]   proves one: restores it, opens the copy, and has it examined
  restore PATH    puts one into the empty directory --data; with --check only reads it
  prune           takes away what the settings do not keep
  remove ID       takes one away

PATH is a directory or s3://bucket/folder with backups, and stands for the newest, or one file <place>/backups/<id>.json.`,
  brief: 'Makes, lists, verifies and restores backups of the whole forge.',
  args: [Object.keys(ACTIONS).join('|'), '[PATH]'],
  flags: {
    ...DATA_FLAGS,
    to: {
      value: 'PLACE',
      help: 'create, prune, remove: a directory or s3://bucket/folder (backups.to).',
    },
    name: { value: 'TEXT', help: 'create: a name; one with a name is kept until you remove it.' },
    check: { help: 'restore: reads everything and writes nothing.' },
    identity: { value: 'FILE', help: 'The age identity that opens an encrypted backup.' },
    'installation-key': { value: 'FILE', help: 'restore: the installation key, kept elsewhere.' },
  },

  async run({ args: [action = '', path], flags }) {
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (!run)
      throw new UsageError(`hearth backup takes ${Object.keys(ACTIONS).join(', ')}, not ${action}`)
    return (await run(flags, path)) ?? 0
  },
}
