import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import {
  branchOf,
  COLLISION_SCAN_DELAY_MS,
  findExposedAddress,
  findSha1Collisions,
  privateAddressesOf,
  requireRepo,
  scanRange,
  shortNameProblem,
} from '#features/repos/index.ts'
import { PushOptions, PushOutput, RefUpdates } from '#features/repos/schema.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import type { RefUpdate } from '#git'
import { Refusal } from '#lib/errors.ts'
import { listPageChanges, moveWiki, type WikiMove } from './change-wiki.ts'
import { requireWikiToChange, type Wiki } from './wiki.ts'

/** Why a command of a push is refused, whatever it brings; null when it may be the wiki's branch. */
function commandProblem(wiki: Wiki, { name, old, new: to }: RefUpdate): string | null {
  const branch = branchOf(name)
  if (branch === null) return 'a wiki takes its branch only, no tags or other refs'
  if (wiki.head !== null && branch !== wiki.branch)
    return `a wiki has one branch, ${wiki.branch}: push to that`
  const problem = shortNameProblem('heads', branch)
  if (problem) return `the name of the branch ${problem}`
  if (to === null) return 'the branch of a wiki cannot be deleted: delete its pages instead'
  return old === wiki.head ? null : 'it has moved since: fetch and try again'
}

type Pusher = { readonly hearth: Hearth; readonly caller: SignedIn; readonly repo: RepoGrant }

/** Why a push is refused: in one line, and in lines for the terminal. */
type WikiRefusal = { readonly reason: string; readonly lines: readonly string[] }

const refuse = (reason: string): WikiRefusal => ({ reason, lines: [] })

/** The move of a push whose objects are on disk, or why it is refused. */
async function prepareMove(
  { hearth, caller, repo }: Pusher,
  wiki: Wiki,
  update: RefUpdate,
  bytes: number,
): Promise<WikiMove | WikiRefusal> {
  const { name, old, new: to } = update
  if (to === null) return refuse('the branch of a wiki cannot be deleted')
  const [fact] = await hearth.git.summarizeRefMoves(wiki.store, [{ name, old, new: to }], null)
  if (fact?.type !== 'commit') return refuse(`${name} cannot point at ${to}, which is not a commit`)
  if (fact.forced)
    return refuse('the history of a wiki cannot be rewritten: fetch, and commit on top of it')
  const range = { tips: [to], hide: old === null ? [] : [old] }
  const { refused, later } = await scanRange(
    { hearth, caller },
    requireRepo(hearth.db, repo.id),
    range,
  )
  if (refused !== null) return refused
  const hidden = privateAddressesOf(hearth, caller)
  const exposed = hidden && (await findExposedAddress(hearth, repo, hidden, update, range.hide))
  if (exposed) return refuse(exposed)
  return {
    branch: branchOf(name) ?? wiki.branch,
    old,
    new: to,
    pages: await listPageChanges(hearth, wiki.store, old, to),
    scan: later ? range : null,
    bytes,
  }
}

export const pushWiki = operation({
  name: 'push_wiki',
  summary: 'Push to the wiki of a repository with git.',
  route: null,
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    updates: RefUpdates,
    options: PushOptions,
    atomic: Type.Optional(Type.Boolean()),
    unscanned: Type.Optional(Type.Boolean()),
    bytes: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  output: PushOutput,

  handler: async (
    { hearth, db, caller, repo, write },
    { updates, atomic = false, bytes = 0, unscanned = false },
  ) => {
    const wiki = requireWikiToChange(db, repo)
    const refusals = new Map<RefUpdate, WikiRefusal>()
    for (const update of updates) {
      const problem = commandProblem(wiki, update)
      if (problem) refusals.set(update, refuse(problem))
    }
    const [wanted, ...more] = updates.filter((update) => !refusals.has(update))
    // Only the first push names a branch, so only it can name several.
    for (const update of more) refusals.set(update, refuse('a wiki has one branch: push one'))
    if (wanted && atomic && refusals.size > 0)
      refusals.set(wanted, refuse('the push is atomic and another ref was refused'))
    if (wanted && !refusals.has(wanted)) {
      const problem = await applyMove(wanted)
      if (problem !== null) refusals.set(wanted, problem)
    }
    return {
      results: updates.map((update) => ({
        name: update.name,
        refused: refusals.get(update)?.reason ?? null,
        lines: [...(refusals.get(update)?.lines ?? [])],
      })),
    }

    async function applyMove(update: RefUpdate): Promise<WikiRefusal | null> {
      try {
        if (bytes > 0) requireQuota(hearth, db, repo.workspace_id, 'repos_bytes', bytes)
        const move = await prepareMove({ hearth, caller, repo }, wiki, update, bytes)
        if ('reason' in move) return move
        await write((tx) => {
          requireWikiToChange(tx.db, repo)
          moveWiki(tx, repo, move)
          if (unscanned)
            tx.enqueue(
              findSha1Collisions,
              { repo_id: repo.id, tips: [move.new], hide: move.old === null ? [] : [move.old] },
              { delay_ms: COLLISION_SCAN_DELAY_MS },
            )
        })
        return null
      } catch (error) {
        if (error instanceof Refusal) return refuse(error.message)
        throw error
      }
    }
  },
})
