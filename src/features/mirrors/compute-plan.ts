/** Computes the plan of a hand-back from what was fetched last, with the history that it needs. */
import { branchOf } from '#features/repos/index.ts'
import { requireRepo } from '#features/repos/index.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import {
  needsContainment,
  planRef,
  type Containment,
  type RefSides,
  type Resolution,
} from './plan.ts'
import type { PlanAction } from './schema.ts'
import { listMirrorRefs } from './store-refs.ts'
import type { MirrorRow } from './store.ts'
import { defaultRefOf, findLoss, visibleRefs } from './sync-options.ts'

export type PlannedRef = RefSides & {
  readonly action: PlanAction
  readonly ahead: number
  readonly behind: number
}

export type ComputedPlan = { readonly refs: readonly PlannedRef[]; readonly ready: boolean }

/** The refs of both sides, sorted by name. */
export function listSides(hearth: Hearth, row: MirrorRow): RefSides[] {
  const ours = visibleRefs(hearth, row.repo_id)
  const rows = new Map(listMirrorRefs(hearth.db, row.id).map((one) => [one.name, one]))
  const names = [...new Set([...ours.keys(), ...rows.keys()])].sort()
  return names.map((name) => ({
    name,
    taken_over: rows.get(name)?.taken_over_oid ?? null,
    service: ours.get(name) ?? null,
    remote: rows.get(name)?.remote_oid ?? null,
  }))
}

const present = (sides: readonly RefSides[], side: 'taken_over' | 'remote'): Map<string, Oid> =>
  new Map(sides.flatMap((ref) => (ref[side] === null ? [] : [[ref.name, ref[side]]])))

type Distance = { readonly ahead: number; readonly behind: number }

/** Commits of each side that the other does not have. Tags have none: they are compared as a whole. */
async function measureDistance(
  hearth: Hearth,
  store: string,
  { name, service, remote }: RefSides,
): Promise<Distance> {
  if (branchOf(name) === null || service === remote) return { ahead: 0, behind: 0 }
  if (service !== null && remote !== null)
    return hearth.git.countAheadBehind(store, service, remote)
  return { ahead: 0, behind: 0 }
}

const containmentOf = (name: string, { ahead, behind }: Distance): Containment =>
  branchOf(name) === null
    ? 'neither'
    : behind === 0
      ? 'service'
      : ahead === 0
        ? 'remote'
        : 'neither'

export async function computePlan(
  hearth: Hearth,
  row: MirrorRow,
  resolve: Resolution = {},
): Promise<ComputedPlan> {
  const { store } = requireRepo(hearth.db, row.repo_id)
  const sides = listSides(hearth, row)
  const rules = {
    remote_pushes: row.remote_pushes,
    resolve,
    remoteIsBroken:
      findLoss(
        present(sides, 'taken_over'),
        present(sides, 'remote'),
        defaultRefOf(hearth, row.repo_id),
      ) !== null,
  }
  const refs: PlannedRef[] = []
  for (const ref of sides) {
    const distance = await measureDistance(hearth, store, ref)
    const containment = needsContainment(ref) ? containmentOf(ref.name, distance) : 'neither'
    refs.push({ ...ref, ...distance, action: planRef(ref, rules, () => containment) })
  }
  return { refs, ready: refs.every(({ action }) => action !== 'conflict') }
}
