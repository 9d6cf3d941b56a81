/** Edits of pages through the API and the site, as commits. */
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx, Write } from '#core/write.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { refuseBadInput, requireRepo, scanRange, throwIfRefused } from '#features/repos/index.ts'
import type { FileChange, Oid } from '#git'
import { Refusal } from '#lib/errors.ts'
import { listPageChanges, moveWiki } from './change-wiki.ts'
import { requireWikiToChange, type Wiki } from './wiki.ts'

/** Somebody else may change another page meanwhile, so an edit is tried so often. */
const MAX_TRIES = 4

export type Edit = { readonly changes: readonly FileChange[]; readonly message: string }

export type EditContext = {
  readonly hearth: Hearth
  readonly repo: RepoGrant
  readonly caller: SignedIn
  readonly write: Write
}

/** Commits edits on the present head. Throws 403 `push_protection` when they hold a token. */
async function commitEdits(
  { hearth, repo, caller }: EditContext,
  { store, head }: Wiki,
  edits: readonly Edit[],
): Promise<{ commit: Oid; later: boolean }> {
  const identity = commitIdentity(hearth, caller)
  let commit = head
  for (const { changes, message } of edits) {
    const made = await refuseBadInput('title', () =>
      hearth.git.commitFiles(store, {
        parent: commit,
        changes,
        message: message.endsWith('\n') ? message : `${message}\n`,
        author: identity,
        committer: identity,
      }),
    )
    commit = made.commit
  }
  if (commit === null) throw new TypeError('an edit has a commit')
  const range = { tips: [commit], hide: head === null ? [] : [head] }
  const { refused, later } = await scanRange(
    { hearth, caller },
    requireRepo(hearth.db, repo.id),
    range,
  )
  throwIfRefused(refused)
  return { commit, later }
}

/**
 * Makes edits, one commit each, and moves the wiki to the last. `plan` reads the present wiki and
 * returns them; it is called again when the wiki has changed meanwhile. Returns the new head.
 */
export async function editWiki(
  context: EditContext,
  plan: (wiki: Wiki) => Promise<readonly Edit[]>,
  also: (tx: Tx) => void = () => {},
): Promise<Wiki> {
  const { hearth, repo, write } = context
  for (let tries = 1; ; tries++) {
    const wiki = requireWikiToChange(hearth.db, repo)
    const { commit, later } = await commitEdits(context, wiki, await plan(wiki))
    const hide = wiki.head === null ? [] : [wiki.head]
    const move = {
      branch: wiki.branch,
      old: wiki.head,
      new: commit,
      pages: await listPageChanges(hearth, wiki.store, wiki.head, commit),
      scan: later ? { tips: [commit], hide } : null,
      bytes: 0,
    }
    try {
      await write((tx) => {
        requireWikiToChange(tx.db, repo)
        moveWiki(tx, repo, move)
        also(tx)
      })
      return { ...wiki, head: commit }
    } catch (error) {
      const isMoved = error instanceof Refusal && error.reason === 'head_moved'
      if (!isMoved || tries >= MAX_TRIES) throw error
    }
  }
}
