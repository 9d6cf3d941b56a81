/**
 * Takes a workspace from an archive of another forge. Files come first, under a name of their own;
 * then the stores get their places, and one transaction makes all rows. Cut off before that,
 * nothing of it is there, and the same import begins anew.
 */
import { blobPath } from '#core/blobs.ts'
import { openDatabase } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { migrate, NewerDatabase, pendingMigrations } from '#core/migrate.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { findActorById, isUsernameFree, requireFreeName } from '#features/accounts/index.ts'
import { indexText } from '#features/issues/index.ts'
import { addMember, changeMemberRole, findMember } from '#features/workspaces/index.ts'
import { BackupError, restoreBackup, type Manifest, type Place, type Tell } from '#backup'
import { conflict, invalid } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DATABASE } from './export-workspace.ts'
import {
  actorsNamed,
  blobsOfWorkspace,
  confirmedOf,
  copyRows,
  findArchived,
  findByAddress,
  findPerson,
  hasActor,
  hasUser,
  insertActorRow,
  isPlainId,
  isStoreNamed,
  listIssuesOfWorkspace,
  storesOfWorkspace,
  type ActorRow,
} from './store.ts'

export type ImportOptions = {
  /** Another slug than it had. */
  readonly as: string | null
  /**
   * Who is to be an owner of it, by username; needed when none of its people has an account here.
   */
  readonly owner: string
  /** Usernames there and here, for people whom no confirmed address connects. */
  readonly people: ReadonlyMap<string, string>
  readonly identities: readonly string[]
}

export type Imported = {
  readonly slug: string
  readonly rows: Record<string, number>
  /** Usernames there and here. */
  readonly found: readonly (readonly [string, string])[]
  /** Who has no account here: what they wrote stands under a name, nobody signs in with it. */
  readonly nobody: readonly (readonly [string, string])[]
}

type Plan = {
  readonly mapped: Map<string, string>
  readonly nobody: Set<string>
  readonly found: [string, string][]
  readonly shadows: { row: ActorRow; there: string }[]
  readonly others: ActorRow[]
}

function requirePerson(hearth: Hearth, username: string): { id: string; username: string } {
  const person = findPerson(hearth.db, username)
  if (!person) throw invalid('people', `there is no account ${username} here`)
  return person
}

/** Whoever keeps this forge says who owns it here, whatever they were there. */
function makeOwner(tx: Tx, workspace_id: string, owner: { id: string; username: string }): void {
  const member = findMember(tx.db, workspace_id, owner.username)
  if (member) changeMemberRole(tx, workspace_id, member, 'owner')
  else addMember(tx, { workspace_id, user_id: owner.id, role: 'owner' })
}

/** A free name near the one that somebody had. */
function freeName(hearth: Hearth, wanted: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted.slice(0, 34)}-${n}`
    if (!taken.has(name) && isUsernameFree(hearth.db, name)) return name
  }
}

export async function importWorkspace(
  hearth: Hearth,
  place: Place,
  manifest: Manifest,
  options: ImportOptions,
  tell: Tell,
  signal: AbortSignal,
): Promise<Imported> {
  const { data } = hearth.settings
  const owner = findPerson(hearth.db, options.owner)
  if (!owner) throw invalid('owner', `there is no account ${options.owner} here`)
  const staging = join(data, 'tmp', `import-${manifest.id}`)
  await restoreBackup(
    place,
    manifest,
    { target: staging, identities: options.identities },
    tell,
    signal,
  )
  const source = openDatabase({ path: join(staging, DATABASE) })
  try {
    try {
      if (pendingMigrations(source).length > 0) migrate(source, timestamp(hearth.clock.now()))
    } catch (error) {
      if (error instanceof NewerDatabase)
        throw new BackupError('the archive is of a newer Hearth: bring this one up to date first')
      throw error
    }
    const workspace = findArchived(source)
    if (!workspace) throw new BackupError(`${place.address} holds no workspace`)
    if (hasActor(hearth.db, workspace.id))
      throw conflict('already_exists', `the workspace ${workspace.username} is here already`)
    const slug = options.as ?? workspace.username
    requireFreeName(hearth.db, slug, { field: 'slug', owner_id: owner.id })

    const plan: Plan = { mapped: new Map(), nobody: new Set(), found: [], shadows: [], others: [] }
    const names = new Set<string>([slug])
    for (const actor of actorsNamed(source, workspace.id)) {
      if (actor.id === workspace.id) continue
      if (actor.kind !== 'user') {
        if (!hasActor(hearth.db, actor.id)) plan.others.push(actor)
        continue
      }
      const named = options.people.get(actor.username)
      const here = hasUser(hearth.db, actor.id)
        ? { id: actor.id, username: findActorById(hearth.db, actor.id)?.username ?? actor.username }
        : named !== undefined
          ? requirePerson(hearth, named)
          : findByAddress(hearth.db, confirmedOf(source, actor.id))
      if (here) {
        if (here.id !== actor.id) plan.mapped.set(actor.id, here.id)
        plan.found.push([actor.username, here.username])
      } else {
        const username = freeName(hearth, actor.username, names)
        names.add(username)
        plan.nobody.add(actor.id)
        plan.shadows.push({ row: { ...actor, username }, there: actor.username })
      }
    }

    const stores = storesOfWorkspace(source, workspace.id)
    for (const store of stores)
      if (!isPlainId(store))
        throw new BackupError(
          `the archive has ${JSON.stringify(store.slice(0, 100))} as an object store, which is no id`,
        )
    for (const store of stores) {
      const from = join(staging, 'repos', store)
      const to = join(data, 'repos', store)
      if (isStoreNamed(hearth.db, store))
        throw conflict('already_exists', `the repository store ${store} is here already`)
      // Left by an import that was cut off: no row names it.
      if (existsSync(to)) rmSync(to, { recursive: true })
      if (existsSync(from)) {
        for (const folder of ['refs', 'objects/info', 'objects/pack'])
          mkdirSync(join(from, folder), { recursive: true, mode: 0o700 })
        renameSync(from, to)
      }
    }
    for (const store of stores)
      if (!existsSync(join(data, 'repos', store))) await hearth.git.createStore(store)

    for (const sha256 of blobsOfWorkspace(source, workspace.id)) {
      const from = join(staging, 'blobs', sha256)
      const to = blobPath(hearth, sha256)
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
      if (existsSync(from) && !existsSync(to)) renameSync(from, to)
    }

    const rows = await writeAs(hearth, null, (tx) => {
      insertActorRow(tx.db, { ...workspace, username: slug })
      for (const { row } of plan.shadows) if (!hasActor(tx.db, row.id)) insertActorRow(tx.db, row)
      const nameOf = new Map([
        ...plan.shadows.map(({ row }): [string, string] => [row.id, row.username]),
      ])
      for (const agent of plan.others) {
        const on_behalf_of =
          agent.on_behalf_of === null
            ? null
            : (plan.mapped.get(agent.on_behalf_of) ?? agent.on_behalf_of)
        const person =
          on_behalf_of === null
            ? null
            : (nameOf.get(on_behalf_of) ??
              plan.found.find(([there]) => agent.username.startsWith(`${there}/`))?.[1] ??
              null)
        insertActorRow(tx.db, {
          ...agent,
          on_behalf_of,
          username: person === null ? agent.username : agent.username.replace(/^[^/]*/, person),
        })
      }
      const counts = copyRows(source, tx.db, workspace.id, plan)
      makeOwner(tx, workspace.id, owner)
      for (const { repo_id, number } of listIssuesOfWorkspace(tx.db, workspace.id))
        indexText(tx, repo_id, number)
      tx.audit({
        action: 'workspace.imported',
        target: { kind: 'workspace', id: workspace.id, name: slug },
        workspace_id: workspace.id,
        data: { after: { from: place.address, made_at: manifest.made_at, owner: owner.username } },
      })
      return counts
    })
    return {
      slug,
      rows,
      found: plan.found,
      nobody: plan.shadows.map(({ row, there }) => [there, row.username] as const),
    }
  } finally {
    source.close()
    rmSync(staging, { recursive: true, force: true })
  }
}
