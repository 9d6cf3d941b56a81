import { readPull } from '#features/pulls/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { Resource, Visit } from '../../site.ts'
import { formatPatchMails, PATCH_HEADERS } from '../code/patch.ts'
import { numberOf, repoOf } from '../repos/frame.tsx'
import { t } from '../../text.ts'

async function shas(visit: Visit) {
  const repo = repoOf(visit)
  const { pull } = await visit.call(readPull, { repo, number: numberOf(visit) ?? 0 })
  const grant = visit.hearth.facts.repo(repo, visit.caller)
  if (grant === null || pull.head === null || pull.merge_base_sha === null)
    throw new Refusal('not_found', t('This pull request has no commits yet.'))
  return {
    git: visit.hearth.git,
    store: grant.store,
    base: pull.merge_base_sha,
    head: pull.head.sha,
  }
}

/** `diff_url`: the whole change as one unified diff. */
export const pullDiff: Resource = {
  path: '/:workspace/:repo/pull/:number.diff',
  async respond(visit) {
    const { git, store, base, head } = await shas(visit)
    return new Response(await git.patch(store, base, head), { headers: PATCH_HEADERS })
  },
}

/** `patch_url`: every commit as a mail, without merge commits, as `git format-patch`. */
export const pullPatch: Resource = {
  path: '/:workspace/:repo/pull/:number.patch',
  async respond(visit) {
    const { git, store, base, head } = await shas(visit)
    const mails = await formatPatchMails(git, store, { tip: head, hide: base })
    return new Response(mails, { headers: PATCH_HEADERS })
  },
}
