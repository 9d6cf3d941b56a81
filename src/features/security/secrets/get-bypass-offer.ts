import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { requireAlertHome } from './alert-records.ts'
import { readPlaceholder } from './fingerprint.ts'

export const getBypassOffer = operation({
  name: 'get_bypass_offer',
  summary: 'What a placeholder of push protection lets its person push.',
  route: null,
  access: readsRepoAs('write', { scope: 'security:write', person: true }),
  input: Type.Object({ repo: RepoPath, placeholder: Type.String({ maxLength: 1200 }) }),
  output: Type.Object({ type: Type.String(), label: Type.String(), preview: Type.String() }),

  handler: ({ hearth, caller, repo }, { placeholder }) => {
    requireAlertHome(repo)
    const offer = readPlaceholder(hearth, repo.id, caller.id, placeholder)
    if (offer === null)
      throw notFound('the placeholder (it is for the person who pushed, for 3 hours: push again)')
    const { type, label, preview } = offer
    return { type, label, preview }
  },
})
