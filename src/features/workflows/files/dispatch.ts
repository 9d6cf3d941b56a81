/** Runs that somebody starts by hand. */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { branchOf, branchRef, readRef, tagOf, tagRef, type RepoRow } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { dispatchPayload } from '../triggers/event-payload.ts'
import type { Occasion } from '../triggers/occasion.ts'

/** The full name of a branch or tag, and its commit. Throws 422 without one. */
async function findStart(
  { git, db }: Hearth,
  repo: RepoRow,
  name: string,
): Promise<{ ref: string; sha: string }> {
  const isFull = branchOf(name) !== null || tagOf(name) !== null
  const names = isFull ? [name] : [branchRef(name), tagRef(name)]
  for (const ref of names) {
    const oid = readRef(db, repo.id, ref)
    const sha = oid === null ? null : await git.peelToCommit(repo.store, oid)
    if (sha !== null) return { ref, sha }
  }
  throw invalid('ref', `there is no branch or tag ${name}`)
}

export async function occasionOfDispatch(
  hearth: Hearth,
  repo: RepoRow,
  { ref: name, path, caller }: { ref: string; path: string; caller: SignedIn },
): Promise<Occasion> {
  const { ref, sha } = await findStart(hearth, repo, name)
  return {
    repo,
    event: 'dispatch',
    names: [{ name: 'workflow_dispatch', action: null }],
    ref,
    sha,
    head_sha: sha,
    files_sha: sha,
    before: null,
    branch: branchOf(ref),
    tag: tagOf(ref),
    message: null,
    pull: null,
    actor_id: caller.id,
    isTrusted: true,
    needsApproval: false,
    payload: dispatchPayload(hearth, repo, ref, path, {}, caller.id),
    title: `${path.split('/').at(-1)} on ${branchOf(ref) ?? tagOf(ref) ?? ref}`,
    event_id: null,
  }
}
