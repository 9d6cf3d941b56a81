/** Builds the public records of mirror links. */
import type { RepoGrant } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { fullName } from '#features/repos/index.ts'
import { timestamp } from '#lib/time.ts'
import { computePlan, type ComputedPlan, type PlannedRef } from './compute-plan.ts'
import { leaderOf } from './link-state.ts'
import { problemOfChecks } from './report-checks.ts'
import type { HandBackPlan, Mirror, MirrorLink, MirrorSettings } from './schema.ts'
import { countHeldDeploys, listMirrors, listPullsMergedSince, type MirrorRow } from './store.ts'

const MAX_PLANNED_REFS = 1000

const settingsOf = (row: MirrorRow): MirrorSettings => ({
  notify: row.notify,
  take_over_after: row.take_over_after,
  hand_back: row.hand_back,
  keep_ci_warm: row.keep_ci_warm === 1,
  ext_workflows: row.ext_workflows === 1,
  hold_deploys: row.hold_deploys === 1,
  report_checks: row.report_checks === 1,
  remote_pushes: row.remote_pushes,
})

function mirrorRecord(hearth: Hearth, row: MirrorRow, repo: RepoGrant): Mirror {
  // Errors may name internal hosts, so only those who can write see them.
  const seesErrors = repo.can('write')
  return {
    id: row.id,
    repo_id: row.repo_id,
    repo: fullName(hearth.db, row.repo_id),
    provider: row.provider,
    role: row.role,
    name: row.name,
    url: row.url,
    state: row.state,
    state_since: row.state_since,
    state_by: actorOf(hearth, row.state_by),
    reachable: row.reachable === 1,
    checks_silent: row.checks_silent === 1,
    unreachable_since: row.unreachable_since,
    synced_at: row.synced_at,
    last_error: seesErrors ? row.last_error : null,
    checks_problem: seesErrors ? problemOfChecks(row) : null,
    has_secret: row.secret !== null,
    ssh_public_key: repo.can('admin') ? row.ssh_public_key : null,
    host_key: seesErrors ? row.host_key : null,
    left_out: seesErrors ? (JSON.parse(row.left_out) as string[]) : [],
    created_at: row.created_at,
    settings: settingsOf(row),
  }
}

/** Conflicts first, then other changes, then what is equal. */
const rank = ({ action }: PlannedRef): number =>
  action === 'conflict' ? 0 : action === 'unchanged' ? 2 : 1

export function planRecord(
  hearth: Hearth,
  row: MirrorRow,
  { refs, ready }: ComputedPlan,
): HandBackPlan {
  return {
    created_at: timestamp(hearth.clock.now()),
    ready,
    refs: [...refs]
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, MAX_PLANNED_REFS)
      .map(({ name, taken_over, service, remote, action, ahead, behind }) => ({
        ref: name,
        takeover_sha: taken_over,
        service_sha: service,
        remote_sha: remote,
        action,
        commits_ahead: ahead,
        commits_behind: behind,
      })),
    refs_count: refs.length,
    deploys_held: countHeldDeploys(hearth.db, row.repo_id),
    pulls_merged: listPullsMergedSince(hearth.db, row.repo_id, row.state_since),
  }
}

/** The answer of all operations. During a takeover it has a plan, made from the last fetch. */
export async function linkAnswer(
  hearth: Hearth,
  caller: Caller,
  repo: RepoGrant,
  given: ComputedPlan | null = null,
): Promise<MirrorLink> {
  const rows = listMirrors(hearth.db, repo.id)
  const led = rows.find((row) => row.state === 'takeover' && leaderOf(row) === 'service')
  const plan = led ? planRecord(hearth, led, given ?? (await computePlan(hearth, led))) : null
  return {
    remotes: rows.map((row) => mirrorRecord(hearth, row, repo)),
    plan,
    can_manage: caller.kind === 'user' && repo.can('admin'),
  }
}
