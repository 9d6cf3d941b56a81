/** Edits of pages through the API and the site: one commit each. */
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx, Write } from '#core/write.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { refuseBadInput, requireRepo, scanRange } from '#features/repos/index.ts'
import type { FileChange, Oid } from '#git'
import { forbidden, Refusal } from '#lib/errors.ts'
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

/** Commits an edit on the present head. Throws 403 `push_protection` when it holds a token. */
async function commitEdit(
  { hearth, repo, caller }: EditContext,
  { store, head }: Wiki,
  { changes, message }: Edit,
): Promise<{ commit: Oid; later: boolean }> {
  const identity = commitIdentity(hearth, caller)
  const { commit } = await refuseBadInput('title', () =>
    hearth.git.commitFiles(store, {
      parent: head,
      changes,
      message: message.endsWith('\n') ? message : `${message}\n`,
      author: identity,
      committer: identity,
    }),
  )
  const range = { tips: [commit], hide: head === null ? [] : [head] }
  const { refused, later } = await scanRange(hearth, requireRepo(hearth.db, repo.id), range)
  if (refused !== null) throw forbidden('push_protection', refused)
  return { commit, later }
}

/**
 * Makes an edit and moves the wiki to it. `plan` reads the present wiki and returns the edit; it is
 * called again when the wiki has changed meanwhile. Returns the new head.
 */
export async function editWiki(
  context: EditContext,
  plan: (wiki: Wiki) => Promise<Edit>,
  also: (tx: Tx) => void = () => {},
): Promise<Wiki> {
  const { hearth, repo, write } = context
  for (let tries = 1; ; tries++) {
    const wiki = requireWikiToChange(hearth.db, repo)
    const { commit, later } = await commitEdit(context, wiki, await plan(wiki))
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
