import { writesRepoAsPerson } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { GitError } from '#git'
import { conflict, invalid } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { MINUTE } from '#lib/time.ts'
import { applyFact } from './apply-fact.ts'
import { computePlan } from './compute-plan.ts'
import { fetchChanges } from './follow-remote.ts'
import { auditMirror, requireLeader } from './inputs.ts'
import { linkAnswer, planRecord } from './record.ts'
import { MirrorLink } from './schema.ts'
import { setMirror, type MirrorRow } from './store.ts'
import { LinkChanged } from './sync-options.ts'

/** A larger difference is fetched by the job; then the plan shows what was fetched before. */
const MAX_FETCH_MS = MINUTE / 2
const MAX_RESOLVED = 1000

export const handBackMirror = operation({
  name: 'hand_back_mirror',
  summary:
    'Give the lead back to the remote: take and push what the plan of the answer says. With dry_run only the plan is made anew. Refs that both sides moved need a choice in resolve. For people with Admin.',
  keywords: ['fail back', 'end the takeover', 'return to GitHub', 'resolve a diverged mirror'],
  route: 'POST /repos/{owner}/{name}/mirror/hand-back',
  toolset: 'mirrors',
  access: writesRepoAsPerson('admin', { scope: 'repo:admin' }),
  input: Type.Object({
    repo: RepoPath,
    dry_run: Type.Optional(Type.Boolean()),
    resolve: Type.Optional(
      Type.Record(Type.String({ maxLength: 1024 }), OneOf(['ours', 'theirs']), {
        maxProperties: MAX_RESOLVED,
        description: 'For each ref that conflicts: ours or theirs. What loses is kept 90 days.',
        'x-free-form': true,
      }),
    ),
  }),
  output: MirrorLink,
  status: 200,
  annotations: { openWorld: true },

  handler: async ({ hearth, caller, repo, write, signal }, { dry_run = false, resolve = {} }) => {
    const row = requireLeader(hearth.db, repo)
    if (row.state === 'handing_back') return linkAnswer(hearth, caller, repo)
    if (row.state !== 'takeover')
      throw conflict('not_ready', `the mirror ${row.name} is in ${row.state}, not in a takeover`, {
        state: row.state,
      })
    await readRemote(hearth, row, signal)
    const plan = await computePlan(hearth, row, resolve)
    const unknown = Object.keys(resolve).find((name) => !plan.refs.some((ref) => ref.name === name))
    if (unknown !== undefined) throw invalid('resolve', `the plan has no ref ${unknown}`)
    if (dry_run) return linkAnswer(hearth, caller, repo, plan)
    if (!plan.ready)
      throw conflict('diverged', 'both sides moved the same refs: choose ours or theirs for each', {
        plan: planRecord(hearth, row, plan),
      })
    await write((tx) => {
      setMirror(tx, row.id, { resolve: JSON.stringify(resolve), last_error: null })
      if (!applyFact(tx, row.id, { kind: 'hand_back' }, { epoch: row.epoch }))
        throw conflict('not_ready', `the mirror ${row.name} changed meanwhile: look again`)
      auditMirror(tx, repo, 'mirror.handed_back', row, { resolve })
    })
    return linkAnswer(hearth, caller, repo)
  },
})

/** Fetches what the remote has now. Throws 409 when it cannot be reached. */
async function readRemote(hearth: Hearth, row: MirrorRow, signal: AbortSignal): Promise<void> {
  try {
    await fetchChanges(hearth, row, {
      leads: false,
      accept: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_FETCH_MS)]),
    })
  } catch (error) {
    if (error instanceof LinkChanged)
      throw conflict('not_ready', `the mirror ${row.name} changed meanwhile: look again`)
    if (error instanceof GitError || error instanceof OutboundError)
      throw conflict(
        'remote_unreachable',
        `the mirror ${row.name} cannot be read: ${error.message}`,
      )
    throw error
  }
}
