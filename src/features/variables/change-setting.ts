/** Sets variables and secrets: changes the row that an input names, or inserts it. */
import { actorId } from '#core/caller.ts'
import { typeId } from '#core/ids.ts'
import { ownerOf, type Owner, type OwnerGrants } from '#core/owner.ts'
import type { Tx } from '#core/write.ts'
import { conflict, invalid } from '#lib/errors.ts'
import {
  checkValue,
  readEnvironments,
  readName,
  readNote,
  readProjects,
  readUses,
} from './inputs.ts'
import { auditSetting, requireRows } from './owner.ts'
import { MAX_ROWS, USES, type Kind, type Use } from './schema.ts'
import { sealValue } from './sealing.ts'
import { countRows, insertRow, listRowsOfName, setRow, type SettingRow } from './store.ts'

export type SettingChange = {
  readonly setting: string
  readonly value?: string
  readonly id?: string
  readonly available_to?: readonly Use[]
  readonly environments?: readonly string[]
  readonly projects?: readonly string[]
  readonly note?: string | null
}

/** What a row is for, as stored. */
type Reach = Pick<SettingRow, 'available_to' | 'environments' | 'projects'>

/** Sets the row of an input. `mustExist` refuses a name that has no row yet with 404. */
export function changeSetting(
  tx: Tx,
  grants: OwnerGrants,
  kind: Kind,
  input: SettingChange,
  { mustExist = false }: { mustExist?: boolean } = {},
): SettingRow {
  const owner = ownerOf(grants)
  const name = readName(input.setting)
  checkValue(input.value, kind)
  if (mustExist) requireRows(tx.db, owner, { kind, name })
  const before = findTarget(tx, owner, kind, name, input)
  const row = before ? changedRow(tx, before, input, owner) : newRow(tx, owner, kind, name, input)
  if (before) setRow(tx, row)
  else insertRow(tx, row)
  auditSetting(tx, before ? 'updated' : 'set', row, grants)
  return row
}

/** The row that an input names; null when it has to be inserted. */
function findTarget(
  tx: Tx,
  owner: Owner,
  kind: Kind,
  name: string,
  input: SettingChange,
): SettingRow | null {
  if (input.id !== undefined)
    return requireRows(tx.db, owner, { kind, name, id: input.id })[0] ?? null
  const wanted = reachOf(tx, owner, input)
  const rows = listRowsOfName(tx.db, owner, kind, name).filter(
    ({ environments, projects }) =>
      environments === wanted.environments && projects === wanted.projects,
  )
  return rows.find(({ available_to }) => available_to === wanted.available_to) ?? rows[0] ?? null
}

const reachOf = (tx: Tx, owner: Owner, input: SettingChange): Reach => ({
  available_to: JSON.stringify(readUses(input.available_to ?? USES)),
  environments: JSON.stringify(readEnvironments(input.environments ?? [])),
  projects: JSON.stringify(readProjects(tx.db, owner, input.projects ?? [])),
})

const storedValue = (tx: Tx, kind: Kind, id: string, value: string): string =>
  kind === 'secret' ? sealValue(tx.hearth, id, value) : value

function newRow(tx: Tx, owner: Owner, kind: Kind, name: string, input: SettingChange): SettingRow {
  if (input.value === undefined)
    throw invalid('value', `there is no ${kind} ${name} for these environments yet: give its value`)
  if (countRows(tx.db, owner, kind) >= MAX_ROWS)
    throw conflict('limit_reached', `there are ${MAX_ROWS} already, which is the most`, {
      limit: MAX_ROWS,
    })
  const id = typeId('set', tx.now_ms)
  return {
    ...owner,
    ...reachOf(tx, owner, input),
    id,
    kind,
    name,
    value: storedValue(tx, kind, id, input.value),
    note: readNote(input.note ?? null),
    updated_by: tx.caller && actorId(tx.caller),
    created_at: tx.now,
    updated_at: tx.now,
  }
}

/** The row with the fields of the input. Throws 409 when another row has the same reach. */
function changedRow(tx: Tx, row: SettingRow, input: SettingChange, owner: Owner): SettingRow {
  const { available_to, environments, projects, value, note } = input
  const read = reachOf(tx, owner, input)
  const reach: Reach = {
    available_to: available_to === undefined ? row.available_to : read.available_to,
    environments: environments === undefined ? row.environments : read.environments,
    projects: projects === undefined ? row.projects : read.projects,
  }
  const twin = listRowsOfName(tx.db, owner, row.kind, row.name).find(
    (other) =>
      other.id !== row.id &&
      other.available_to === reach.available_to &&
      other.environments === reach.environments &&
      other.projects === reach.projects,
  )
  if (twin)
    throw conflict(
      'already_exists',
      `${row.name} has another row for these environments and projects: change that one`,
      { id: twin.id },
    )
  return {
    ...row,
    ...reach,
    value: value === undefined ? row.value : storedValue(tx, row.kind, row.id, value),
    note: note === undefined ? row.note : readNote(note),
    updated_by: tx.caller && actorId(tx.caller),
    updated_at: tx.now,
  }
}
