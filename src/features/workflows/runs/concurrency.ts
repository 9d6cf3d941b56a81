/**
 * Concurrency groups of a repository: one run or job of a group goes on at a time. Others wait, or
 * cancel the one that goes on.
 */
import type { Concurrency } from '#actions'
import type { Tx } from '#core/write.ts'
import { cancelJob, cancelRunNow } from './end-run.ts'
import { membersOf, nameOfMember, waitsForGroup, type Member } from './group-members.ts'
import { requestScheduling } from '../jobs/request-scheduling.ts'
import { listJobs, type JobRow } from '../jobs/store-jobs.ts'
import { setRunGroup, type RunRow } from './store-runs.ts'

function cancelMember(tx: Tx, member: Member, reason: string): void {
  if (member.kind === 'run') return cancelRunNow(tx, member.row, null, reason)
  cancelJob(tx, member.row, reason)
  requestScheduling(tx, member.row.run_id)
}

/**
 * Enters a group, or asks again after waiting. Returns why it has to wait; null when it may go on. A
 * newer member replaces one that waits, unless the group keeps all (`queue: max`).
 */
function enter(tx: Tx, me: Member, { group, cancelInProgress, queue }: Concurrency): string | null {
  const others = () =>
    membersOf(tx, me.row.repo_id, group).filter(({ row }) => row.id !== me.row.id)
  if (!waitsForGroup(me)) {
    const reason = `A newer run of the group ${group} took its place`
    for (const other of others())
      if (cancelInProgress || (waitsForGroup(other) && queue === 'single'))
        cancelMember(tx, other, reason)
  }
  const left = others()
  // Of those that wait the oldest goes on; runs before jobs.
  const isAhead = ({ kind, row }: Member) =>
    waitsForGroup(me) && (kind === me.kind ? row.seq < me.row.seq : kind === 'run')
  const holder = left.find((other) => !waitsForGroup(other)) ?? left.find(isAhead)
  if (!holder) return null
  return `Waits for the concurrency group ${group}, which ${nameOfMember(tx, holder)} has`
}

/** Puts a run into its group. Returns why it has to wait; null when it may begin. */
export function enterGroupAsRun(tx: Tx, run: RunRow, concurrency: Concurrency): string | null {
  setRunGroup(tx, run.id, concurrency.group)
  return enter(tx, { kind: 'run', row: run }, concurrency)
}

/** The same for a job that may start. */
export const enterGroupAsJob = (tx: Tx, job: JobRow, concurrency: Concurrency): string | null =>
  enter(tx, { kind: 'job', row: job }, concurrency)

const sameGroup = (a: string | null, b: string): boolean => a?.toLowerCase() === b.toLowerCase()

/** Whether the run of a job, or a job that called its workflow, has its group: it would wait for ever. */
export function waitsForItself(tx: Tx, run: RunRow, job: JobRow, group: string): boolean {
  if (sameGroup(run.concurrency_group, group)) return true
  const jobs = job.parent === null ? [] : listJobs(tx.db, run.id, run.attempt)
  for (let { parent } = job; parent !== null; ) {
    const caller = jobs.find(({ key }) => key === parent)
    if (caller && sameGroup(caller.concurrency_group, group)) return true
    parent = caller?.parent ?? null
  }
  return false
}
