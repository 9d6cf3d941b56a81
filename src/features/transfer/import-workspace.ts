/**
 * Imports a workspace from an archive of another forge. Files are restored first under temporary
 * names. Then the stores are moved to their places, and one transaction inserts all rows. If it is
 * interrupted before that, nothing is visible, and the import can be repeated.
 */
import { blobPath } from '#core/blobs.ts'
import { openDatabase, type DatabaseHandle, type Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { migrate, NewerDatabase, pendingMigrations } from '#core/migrate.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { findActor, isUsernameFree, requireFreeName } from '#features/accounts/index.ts'
import { repoArrived } from '#features/repos/index.ts'
import { addMember, changeMemberRole, findMember } from '#features/workspaces/index.ts'
import { BackupError, restoreBackup, type Manifest, type Place, type Tell } from '#backup'
import { conflict, invalid } from '#lib/errors.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DATABASE_FILE } from './export-workspace.ts'
import { indexArrived } from './index-arrived.ts'
import {
  listNamedActors,
  listBlobsOfWorkspace,
  listConfirmedEmails,
  copyRows,
  findArchivedWorkspace,
  findPersonByEmail,
  findPerson,
  hasActor,
  hasUser,
  insertActorRow,
  isPlainId,
  isStoreNamed,
  countRows,
  listReposOfWorkspace,
  listStoresOfWorkspace,
  type ActorRow,
} from './store.ts'

export type ImportOptions = {
  /** A new slug; null keeps the old one. */
  readonly as: string | null
  /** The username of an owner here; needed when none of its people has an account here. */
  readonly owner: string
  /** Usernames there and here, for people without a common confirmed email address. */
  readonly people: ReadonlyMap<string, string>
  readonly identities: readonly string[]
  /** A workspace with more rows is refused; null takes any. */
  readonly maxRows: number | null
}

/** Beside a server, whose writes wait meanwhile and fail after ten seconds. */
export const MAX_ROWS_BESIDE_SERVER = 250_000

export type ImportedWorkspace = {
  readonly slug: string
  readonly rows: Record<string, number>
  /** Usernames there and here. */
  readonly found: readonly (readonly [string, string])[]
  /** People without an account here. Their texts keep a name with which nobody can sign in. */
  readonly nobody: readonly (readonly [string, string])[]
}

type ImportPlan = {
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

/** The administrator chooses the owner here, whatever the roles there were. */
function setOwner(tx: Tx, workspace_id: string, owner: { id: string; username: string }): void {
  const member = findMember(tx.db, workspace_id, owner.username)
  if (member) changeMemberRole(tx, workspace_id, member, 'owner')
  else addMember(tx, { workspace_id, user_id: owner.id, role: 'owner' })
}

/** Finds a free username similar to the original one. */
function findFreeName(hearth: Hearth, wanted: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted.slice(0, 34)}-${n}`
    if (!taken.has(name) && isUsernameFree(hearth.db, name)) return name
  }
}

/** Decides who each person of the archive is here. */
function planPeople(
  hearth: Hearth,
  source: Db,
  workspace_id: string,
  slug: string,
  people: ImportOptions['people'],
): ImportPlan {
  const plan: ImportPlan = {
    mapped: new Map(),
    nobody: new Set(),
    found: [],
    shadows: [],
    others: [],
  }
  const names = new Set<string>([slug])
  for (const actor of listNamedActors(source, workspace_id)) {
    if (actor.id === workspace_id) continue
    if (actor.kind !== 'user') {
      if (!hasActor(hearth.db, actor.id)) plan.others.push(actor)
      continue
    }
    const named = people.get(actor.username)
    const here = hasUser(hearth.db, actor.id)
      ? { id: actor.id, username: findActor(hearth.db, actor.id)?.username ?? actor.username }
      : named !== undefined
        ? requirePerson(hearth, named)
        : findPersonByEmail(hearth.db, listConfirmedEmails(source, actor.id))
    if (here) {
      if (here.id !== actor.id) plan.mapped.set(actor.id, here.id)
      plan.found.push([actor.username, here.username])
    } else {
      const username = findFreeName(hearth, actor.username, names)
      names.add(username)
      plan.nobody.add(actor.id)
      plan.shadows.push({ row: { ...actor, username }, there: actor.username })
    }
  }
  return plan
}

/** Moves the restored object stores to their places. Throws 409 when one exists here. */
async function moveStores(
  hearth: Hearth,
  stores: readonly string[],
  staging: string,
): Promise<void> {
  const { data } = hearth.settings
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
    // Left by an interrupted import; no row names it.
    if (existsSync(to)) rmSync(to, { recursive: true })
    if (existsSync(from)) {
      for (const folder of ['refs', 'objects/info', 'objects/pack'])
        mkdirSync(join(from, folder), { recursive: true, mode: 0o700 })
      renameSync(from, to)
    }
  }
  for (const store of stores)
    if (!existsSync(join(data, 'repos', store))) await hearth.git.createStore(store)
}

function moveBlobs(hearth: Hearth, blobs: readonly string[], staging: string): void {
  for (const sha256 of blobs) {
    const from = join(staging, 'blobs', sha256)
    const to = blobPath(hearth, sha256)
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    if (existsSync(from) && !existsSync(to)) renameSync(from, to)
  }
}

/** Inserts the people without an account and the agents, with the names of their owners here. */
function insertPlannedActors(tx: Tx, plan: ImportPlan): void {
  for (const { row } of plan.shadows) if (!hasActor(tx.db, row.id)) insertActorRow(tx.db, row)
  const usernames = new Map(plan.shadows.map(({ row }) => [row.id, row.username]))
  for (const agent of plan.others) {
    const on_behalf_of =
      agent.on_behalf_of === null
        ? null
        : (plan.mapped.get(agent.on_behalf_of) ?? agent.on_behalf_of)
    const person =
      on_behalf_of === null
        ? null
        : (usernames.get(on_behalf_of) ??
          plan.found.find(([there]) => agent.username.startsWith(`${there}/`))?.[1] ??
          null)
    insertActorRow(tx.db, {
      ...agent,
      on_behalf_of,
      username: person === null ? agent.username : agent.username.replace(/^[^/]*/, person),
    })
  }
}

/** Brings the database of an archive to this version. Throws BackupError when it is newer. */
function migrateArchive(source: DatabaseHandle, now: Timestamp): void {
  try {
    if (pendingMigrations(source).length > 0) migrate(source, now)
  } catch (error) {
    if (error instanceof NewerDatabase)
      throw new BackupError('the archive is of a newer Hearth: bring this one up to date first')
    throw error
  }
}

/** The archive with what the administrator wants, once the archive is at hand. */
type Arrival = {
  readonly source: DatabaseHandle
  readonly workspace: ActorRow
  readonly slug: string
  readonly owner: { readonly id: string; readonly username: string }
  readonly people: ImportOptions['people']
}

/** Throws 409 when the workspace or its name is here already. Decides who its people are here. */
function prepareArrival(
  hearth: Hearth,
  { source, workspace, slug, owner, people }: Arrival,
): ImportPlan {
  if (hasActor(hearth.db, workspace.id))
    throw conflict('already_exists', `the workspace ${workspace.username} is here already`)
  requireFreeName(hearth.db, slug, { field: 'slug', owner_id: owner.id })
  return planPeople(hearth, source, workspace.id, slug, people)
}

function requireFewRows({ source, workspace }: Arrival, maxRows: number | null): void {
  if (maxRows === null) return
  const count = countRows(source, workspace.id)
  if (count > maxRows)
    throw new BackupError(
      `${workspace.username} has ${count} rows, for which a server would hold up its writes too long: stop it for this import`,
    )
}

/** Inserts all rows, and starts what a push would have started. */
function insertArrival(
  tx: Tx,
  { source, workspace, slug, owner }: Arrival,
  plan: ImportPlan,
): Record<string, number> {
  insertActorRow(tx.db, { ...workspace, username: slug })
  insertPlannedActors(tx, plan)
  const counts = copyRows(source, tx.db, workspace.id, plan)
  setOwner(tx, workspace.id, owner)
  for (const { id } of listReposOfWorkspace(tx.db, workspace.id))
    tx.emit(repoArrived, { repo_id: id })
  tx.enqueue(indexArrived, { workspace_id: workspace.id }, { key: workspace.id })
  return counts
}

export async function importWorkspace(
  hearth: Hearth,
  place: Place,
  manifest: Manifest,
  options: ImportOptions,
  tell: Tell,
  signal: AbortSignal,
): Promise<ImportedWorkspace> {
  const owner = findPerson(hearth.db, options.owner)
  if (!owner) throw invalid('owner', `there is no account ${options.owner} here`)
  const staging = join(hearth.settings.data, 'tmp', `import-${manifest.id}`)
  await restoreBackup(
    place,
    manifest,
    { target: staging, identities: options.identities },
    tell,
    signal,
  )
  const source = openDatabase({ path: join(staging, DATABASE_FILE) })
  try {
    migrateArchive(source, timestamp(hearth.clock.now()))
    const workspace = findArchivedWorkspace(source)
    if (!workspace) throw new BackupError(`${place.address} holds no workspace`)
    const slug = options.as ?? workspace.username
    const arrival: Arrival = { source, workspace, slug, owner, people: options.people }
    prepareArrival(hearth, arrival)
    requireFewRows(arrival, options.maxRows)
    await moveStores(hearth, listStoresOfWorkspace(source, workspace.id), staging)
    moveBlobs(hearth, listBlobsOfWorkspace(source, workspace.id), staging)
    const { rows, plan } = await writeAs(hearth, null, (tx) => {
      // A server may have given away names since they were checked.
      const plan = prepareArrival(hearth, arrival)
      const rows = insertArrival(tx, arrival, plan)
      tx.audit({
        action: 'workspace.imported',
        target: { kind: 'workspace', id: workspace.id, name: slug },
        workspace_id: workspace.id,
        data: { after: { from: place.address, made_at: manifest.made_at, owner: owner.username } },
      })
      return { rows, plan }
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
